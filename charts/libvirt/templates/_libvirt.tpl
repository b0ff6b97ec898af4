{{- /*
Consoles of guests: TLS, only for clients with a certificate of the same authority, such as nova's proxy.
*/ -}}
{{- define "common.config.block.consoles" -}}
{{- if .ctx.values.tls.internal }}
options: {vnc_tls: 1, vnc_tls_x509_verify: 1, vnc_tls_x509_cert_dir: /etc/pki/libvirt-vnc}
{{- end }}
{{- end -}}

{{- /*
Starts libvirtd so that its guests outlive its pod: they are in no cgroup of the pod (the kubelet kills all
processes there, in each hierarchy of cgroup v1), and what QEMU loads while it runs is not in an image that
may be pruned. libvirtd itself ends with this script.
*/ -}}
{{- define "common.scripts.libvirt-start.sh" -}}
set -euo pipefail

RUNTIME=/var/lib/libvirt/runtime

# Moves this shell into a separate cgroup of the node in every hierarchy. It and the guests get the same share of the CPUs as
# all pods together; otherwise pods with a large share would starve them.
leave_pod() {
  local hierarchy own file pods
  for hierarchy in $(awk '$3 ~ /^cgroup2?$/ { print $2 }' /proc/mounts | sort --unique); do
    own=$hierarchy/kk-libvirt
    mkdir -p "$own"
    # In version 1 a new cpuset is empty, and accepts no process.
    for file in cpuset.cpus cpuset.mems; do
      if [ -e "$own/$file" ] && [ -e "$own/tasks" ]; then cat "$hierarchy/$file" >"$own/$file"; fi
    done
    pods=$(find "$hierarchy" -maxdepth 2 -type d -name "kubepods*" -printf "%P\n" -quit)
    pods=${pods%%/*}
    for file in cpu.shares cpu.weight; do
      [ -e "$hierarchy/$pods/$file" ] || continue
      mkdir -p "$hierarchy/machine"
      tee "$own/$file" "$hierarchy/machine/$file" <"$hierarchy/$pods/$file" >/dev/null
    done
    echo $BASHPID >"$own/cgroup.procs"
  done
}

# Mounts a copy of /usr on the node over the image's: modules of QEMU, their libraries, firmware.
leave_image() {
  local id copy
  id=$(find /usr -xdev -printf '%P %s %l\n' | sort | sha256sum | cut -c 1-16)
  mkdir -p $RUNTIME
  if [ ! -d "$RUNTIME/$id" ]; then
    rm -rf "$RUNTIME/$id.part"
    cp --archive --one-file-system --reflink=auto /usr "$RUNTIME/$id.part"
    mv "$RUNTIME/$id.part" "$RUNTIME/$id"
  fi
  mount --bind "$RUNTIME/$id" /usr
  for copy in $RUNTIME/*; do
    grep --quiet --no-messages "${copy##*/}" /proc/[0-9]*/mountinfo || rm -rf "$copy"
  done
}

run_libvirtd() {
  local view=()
  leave_pod
  # libvirt must see the cgroups of guests as the node does; in version 2 a pod sees its own cgroup as the root.
  [ ! -e /sys/fs/cgroup/cgroup.controllers ] || view=(nsenter --target 1 --cgroup)
  exec "${view[@]}" setpriv --pdeathsig TERM libvirtd "$@"
}

# Gives libvirt the key of Ceph, with which QEMU opens disks there.
define_key() {
  local keyring=/etc/ceph/ceph.client.cinder.keyring uuid=$CEPH_SECRET_UUID
  [ -s $keyring ] || return 0
  until virsh --quiet uri >/dev/null 2>&1; do sleep 1; done
  virsh --quiet secret-define /dev/stdin <<XML
<secret ephemeral='no' private='no'><uuid>$uuid</uuid><usage type='ceph'><name>client.cinder secret</name></usage></secret>
XML
  virsh --quiet secret-set-value "$uuid" --file <(awk '$1 == "key" { printf "%s", $3 }' $keyring)
}

# This pod shares the node's terminals, but QEMU's user may have no access to the device that creates them.
open_terminals() {
  rm -f /dev/ptmx
  mknod --mode 666 /dev/ptmx c 5 2
}

{{ if .values.tls.internal -}}
# Gives QEMU, which runs as nova, the certificate under the names that QEMU expects. A guest reads it when it starts.
give_certificate() {
  local name
  install --directory /etc/pki/libvirt-vnc
  for name in ca-cert:ca.crt server-cert:tls.crt server-key:tls.key; do
    install --owner nova --mode 400 "/etc/tls/${name#*:}" "/etc/pki/libvirt-vnc/${name%:*}.pem"
  done
}

renew_certificate() {
  while sleep 10; do cmp --silent /etc/tls/tls.crt /etc/pki/libvirt-vnc/server-cert.pem || give_certificate; done
}

give_certificate
renew_certificate &
{{ end -}}
leave_image
open_terminals
if [ -c /dev/kvm ]; then chown root:nova /dev/kvm && chmod 660 /dev/kvm; fi
# A node that can take part in no migration runs its guests all the same.
listen=()
if python3 /scripts/libvirt-migration.py prepare; then listen=(--listen); fi
run_libvirtd "${listen[@]}" &
libvirtd=$!
trap 'kill -TERM $libvirtd' TERM INT
define_key &
{{ if include "libvirt.migration.tls" .root -}}
[ ${#listen[@]} = 0 ] || python3 /scripts/libvirt-migration.py renew &
{{ end -}}
bash /scripts/virt-type.sh &
status=0
while kill -0 $libvirtd 2>/dev/null; do
  status=0
  wait $libvirtd || status=$?
done
exit $status
{{ end -}}

{{- /*
Detects once for each boot of the node whether KVM runs guests, and writes `kvm` or `qemu` to
/run/libvirt/virt-type, for which nova-compute waits. A device and a firmware that starts prove nothing: on
some nodes no kernel boots.
*/ -}}
{{- define "common.scripts.virt-type.sh" -}}
set -euo pipefail

RESULT=/run/libvirt/virt-type
GUEST=/usr/share/kk/guest

# Whether a kernel reaches userspace within 30 seconds. Without a kernel in the image, as in kolla's, the device decides.
runs_guest() {
  [ -c /dev/kvm ] || return 1
  [ -e $GUEST/vmlinuz ] || return 0
  grep --quiet "userland reached" < <(
    timeout 30 qemu-system-x86_64 -accel kvm -cpu host -m 256 -display none -nodefaults -no-reboot -serial stdio \
      -kernel $GUEST/vmlinuz -initrd $GUEST/initrd -append "console=ttyS0 quiet panic=-1" </dev/null
  )
}

[ ! -s $RESULT ] || exit 0
if runs_guest; then type=kvm; else type=qemu; fi
echo "guests run with $type"
echo $type >$RESULT.new
mv $RESULT.new $RESULT
{{ end -}}

{{- /* Lists the guests of libvirt, and prints whether they run with KVM. */ -}}
{{- define "common.scripts.libvirt-test.sh" -}}
set -eu
virsh --connect qemu:///system list --all
echo "guests run with $(cat /run/libvirt/virt-type)"
{{ end -}}
