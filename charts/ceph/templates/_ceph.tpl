{{- /*
ceph.conf of the daemons. Each object has as many copies as there are osds, at most three. With one osd it has
one, and Ceph does not warn about it.
*/ -}}
{{- define "common.config.block.ceph_cluster" -}}
{{- $ctx := .ctx -}}
{{- $mon := include "common.context.name" (dict "ctx" $ctx "key" "mon") -}}
{{- $size := min 3 (include "common.context.replicas" (dict "ctx" $ctx "key" "osd") | int) -}}
options:
  global:
    fsid: {{ include "common.endpoints.credential" (dict "ctx" $ctx "path" "ceph_mon.fsid") | quote }}
    mon_host: {{ $mon }}-peers.{{ $ctx.namespace }}.svc.{{ $ctx.endpoints.cluster_domain_suffix }}
    mon_initial_members: {{ $mon }}-0
    osd_pool_default_size: {{ $size }}
    osd_pool_default_min_size: {{ ternary 2 1 (gt $size 2) }}
    {{- if eq $size 1 }}
    mon_allow_pool_size_one: true
    mon_warn_on_pool_no_redundancy: false
    osd_crush_chooseleaf_type: 0
    {{- end }}
{{- end -}}

{{- /*
A keyring: .params {of}. That of the monitors has what their first start writes into the cluster; the accounts
of services come from a job, which can change them.
*/ -}}
{{- define "common.config.block.ceph_accounts" -}}
{{- $all := `"allow *"` -}}
{{- $mon := dict "key" (include "common.endpoints.credential" (dict "ctx" .ctx "path" "ceph_mon.mon.key")) "caps mon" $all -}}
{{- $admin := dict "key" (include "common.endpoints.credential" (dict "ctx" .ctx "path" "ceph_mon.admin.key")) "caps mon" $all "caps osd" $all "caps mgr" $all "caps mds" $all -}}
{{- $mgr := dict "key" (include "common.endpoints.credential" (dict "ctx" .ctx "path" "ceph_mon.bootstrap-mgr.key")) "caps mon" `"profile bootstrap-mgr"` -}}
{{- $osd := dict "key" (include "common.endpoints.credential" (dict "ctx" .ctx "path" "ceph_mon.bootstrap-osd.key")) "caps mon" `"profile bootstrap-osd"` -}}
{{- $glance := dict "key" (include "common.endpoints.credential" (dict "ctx" .ctx "path" "ceph_mon.glance.key")) -}}
{{- $cinder := dict "key" (include "common.endpoints.credential" (dict "ctx" .ctx "path" "ceph_mon.cinder.key")) -}}
{{- $backup := dict "key" (include "common.endpoints.credential" (dict "ctx" .ctx "path" "ceph_mon.cinder-backup.key")) -}}
{{- $gnocchi := dict "key" (include "common.endpoints.credential" (dict "ctx" .ctx "path" "ceph_mon.gnocchi.key")) -}}
{{- $kube := dict "key" (include "common.endpoints.credential" (dict "ctx" .ctx "path" "ceph_mon.kube.key")) -}}
{{- $node := dict "key" (include "common.endpoints.credential" (dict "ctx" .ctx "path" "ceph_mon.kube-node.key")) -}}
{{- $clients := dict "client.glance" $glance "client.cinder" $cinder "client.cinder-backup" $backup "client.gnocchi" $gnocchi "client.kube" $kube "client.kube-node" $node -}}
{{- $mds := dict -}}
{{- if include "common.context.enabled" (dict "ctx" .ctx "key" "statefulset-mds") -}}
{{- $manila := dict "key" (include "common.endpoints.credential" (dict "ctx" .ctx "path" "ceph_mon.manila.key")) "caps mon" `"allow r"` "caps mgr" `"allow rw"` -}}
{{- $mds = dict "client.bootstrap-mds" (dict "key" (include "common.endpoints.credential" (dict "ctx" .ctx "path" "ceph_mon.bootstrap-mds.key")) "caps mon" `"profile bootstrap-mds"`) -}}
{{- $_ := set $node "caps mds" `"allow rw path=/volumes/kubernetes"` -}}
{{- $clients = merge $clients $mds (dict "client.manila" $manila) -}}
{{- end -}}
{{- $of := dict
  "mon" (dict "mon." $mon "client.admin" $admin "client.bootstrap-mgr" $mgr "client.bootstrap-osd" $osd)
  "mgr" (dict "client.bootstrap-mgr" $mgr)
  "osd" (dict "client.bootstrap-osd" $osd)
  "admin" (dict "client.admin" $admin)
  "mds" $mds
  "clients" $clients -}}
options:
  {{- get $of .params.of | toYaml | nindent 2 }}
{{- end -}}

{{- /* The file system with its two pools, if its daemon is enabled. */ -}}
{{- define "common.config.block.file_system" -}}
options:
{{- if include "common.context.enabled" (dict "ctx" .ctx "key" "statefulset-mds") }}
  pools:
    cephfs_metadata: {application: cephfs}
    cephfs_data: {application: cephfs}
  file_systems:
    cephfs: {metadata: cephfs_metadata, data: cephfs_data}
{{- end }}
{{- end -}}

{{- /*
A monitor without data joins those that have a quorum, and only the first one creates a cluster, of itself. If
most monitors are lost for good, nothing re-creates their data.
*/ -}}
{{- define "common.scripts.ceph-mon.sh" -}}
set -eu
data=/var/lib/ceph/mon/$POD_NAME
map=$(mktemp)
make() { ceph-mon --mkfs --id "$POD_NAME" --mon-data "$data" --keyring /etc/ceph/mon.keyring --public-addr "$POD_IP" "$@"; }
others() { timeout 20 ceph --name mon. --keyring /etc/ceph/mon.keyring mon getmap --out-file "$map"; }
# Whether another monitor runs: it has the data, also without a quorum.
another() {
  for address in $(getent ahosts "$(ceph-conf --lookup mon_host)" | awk '{ print $1 }' | sort --unique); do
    if [ "$address" != "$POD_IP" ] && timeout 3 bash -c "exec 3<>/dev/tcp/$address/3300" 2>/dev/null; then return 0; fi
  done
  return 1
}

if [ ! -e "$data/done" ]; then
  rm -rf "$data"
  mkdir "$data"
  # Before the name of the monitors resolves to this one, no other is found, and an empty map would be made.
  until getent ahosts "$(ceph-conf --lookup mon_host)" | grep --quiet --word-regexp --fixed-strings "$POD_IP"; do
    sleep 1
  done
  until others; do
    [ "${POD_NAME##*-}" != 0 ] || another || break
    sleep 2
  done
  if [ -s "$map" ]; then make --monmap "$map"; else make; fi
  touch "$data/done"
fi
exec ceph-mon --foreground --id "$POD_NAME" --mon-data "$data" --public-addr "$POD_IP"
{{ end -}}

{{- define "common.scripts.ceph-mgr.sh" -}}
set -eu
data=/var/lib/ceph/mgr/ceph-$POD_NAME
mkdir -p "$data"
ceph --name client.bootstrap-mgr auth get-or-create "mgr.$POD_NAME" \
  mon "allow profile mgr" osd "allow *" mds "allow *" --out-file "$data/keyring"
exec ceph-mgr --foreground --id "$POD_NAME" --mgr-data "$data"
{{ end -}}

{{- /* The bootstrap account may give a daemon's account exactly these rights. */ -}}
{{- define "common.scripts.ceph-mds.sh" -}}
set -eu
data=/var/lib/ceph/mds/ceph-$POD_NAME
mkdir -p "$data"
ceph --name client.bootstrap-mds auth get-or-create "mds.$POD_NAME" \
  mon "allow profile mds" osd "allow rwx" mds "allow" --out-file "$data/keyring"
exec ceph-mds --foreground --id "$POD_NAME" --mds-data "$data"
{{ end -}}

{{- /*
The label of a device identifies its osd; each start derives the daemon's directory from it. A device with
other content is not touched.
*/ -}}
{{- define "common.scripts.ceph-osd.sh" -}}
set -eu
umask 077
device=/var/lib/ceph/osd
if [ ! -b $device ]; then
  device=$device/block
  [ -e $device ] || truncate --size="$OSD_FILE_SIZE" $device
fi
data=/run/ceph/osd
mkdir -p $data
label() { ceph-bluestore-tool show-label --dev $device 2>/dev/null | python3 -c 'import json, sys; print(list(json.load(sys.stdin).values())[0].get(sys.argv[1], ""))' "$1"; }
fsid=$(ceph-conf --lookup fsid)
if [ "$(label ready || true)" != ready ]; then
  if [ -z "$(label magic || true)" ] && [ -n "$(head --bytes=1M $device | tr --delete '\0')" ]; then
    echo "the device has other content and is not touched; to use it, clear its first MiB" >&2
    exit 1
  fi
  uuid=$(cat /proc/sys/kernel/random/uuid)
  key=$(ceph-authtool --gen-print-key)
  id=$(printf '{"cephx_secret": "%s"}' "$key" | ceph --name client.bootstrap-osd osd new "$uuid" --in-file -)
  printf %s "$key" > $data/key
  ln --symbolic --force $device $data/block
  ceph-osd --mkfs --id "$id" --osd-uuid "$uuid" --osd-data $data --osd-objectstore bluestore --keyfile $data/key --no-mon-config
  rm $data/key
fi
if [ "$(label ceph_fsid)" != "$fsid" ]; then
  echo "the device belongs to another cluster, $(label ceph_fsid), and is not touched" >&2
  exit 1
fi
ceph-bluestore-tool prime-osd-dir --dev $device --path $data --no-mon-config
ln --symbolic --force $device $data/block
exec ceph-osd --foreground --id "$(label whoami)" --osd-data $data --crush-location "root=default host=$NODE_NAME"
{{ end -}}

{{- /*
A monitor is ready in a quorum, an osd when the cluster has accepted it. The probe asks the daemon's socket:
Ceph's client loads all its modules, which on a busy machine takes longer than a probe may.
*/ -}}
{{- define "common.scripts.ceph-probe.py" -}}
"""Queries the state of this pod's daemon: ceph-probe.py mon|mgr|osd|mds."""
import json
import os
import socket
import sys

kind = sys.argv[1]
name = os.environ["POD_NAME"]
if kind == "osd":
    name = open("/run/ceph/osd/whoami").read().strip()
question, states = {
    "mon": ("mon_status", ("leader", "peon")),
    "mgr": ("version", (None,)),
    "osd": ("status", ("active",)),
    "mds": ("status", ("up:active", "up:standby")),
}[kind]
with socket.socket(socket.AF_UNIX) as daemon:
    daemon.connect("/run/ceph/ceph-%s.%s.asok" % (kind, name))
    daemon.sendall(json.dumps({"prefix": question}).encode() + b"\0")
    # The answer begins with its length, four bytes.
    answer = json.loads(daemon.makefile("rb").read()[4:])
sys.exit(answer.get("state") not in states)
{{ end -}}

{{- define "common.scripts.ceph-pools.py" -}}
"""Creates the pools, the file systems and the accounts of the services; changes only what differs."""
import json
import subprocess


def ceph(*arguments):
    return subprocess.run(["ceph", *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def make(name, pool):
    if name not in ceph("osd", "pool", "ls").split():
        ceph("osd", "pool", "create", name)
    if "size" in pool:
        sure = ["--yes-i-really-mean-it"] if pool["size"] == 1 else []
        ceph("osd", "pool", "set", name, "size", str(pool["size"]), *sure)
    ceph("osd", "pool", "application", "enable", name, pool["application"], "--yes-i-really-mean-it")
    if pool["application"] == "rbd":
        subprocess.run(["rbd", "pool", "init", name], check=True)
        # Purges images that were deleted while they had clones, after the last clone.
        subprocess.run(["rbd", "trash", "purge", "schedule", "add", "--pool", name, "1h"], check=True)
    print("pool %s" % name)


with open("/etc/ceph/pools.json") as file:
    wanted = json.load(file)
for name, pool in wanted["pools"].items():
    make(name, pool)
for name, pools in wanted.get("file_systems", {}).items():
    if name not in [each["name"] for each in json.loads(ceph("fs", "ls", "--format", "json"))]:
        ceph("fs", "new", name, pools["metadata"], pools["data"])
    print("file system %s" % name)
# From mimic on (the names of releases are in alphabetical order), an image with clones can be deleted.
if ceph("osd", "get-require-min-compat-client").strip() < "mimic":
    ceph("osd", "set-require-min-compat-client", "mimic")
# Of a new cluster it is an initial module; the manager restarts to enable one.
if "prometheus" not in json.loads(ceph("mgr", "module", "ls", "--format", "json"))["enabled_modules"]:
    ceph("mgr", "module", "enable", "prometheus")
ceph("auth", "import", "--in-file", "/etc/ceph/clients.keyring")
print("the accounts of the services")
{{ end -}}

{{- /* Prints the cluster's health, and writes an RBD image. */ -}}
{{- define "common.scripts.ceph-test.sh" -}}
set -eu
ceph health detail
pool=$(ceph osd pool ls | head -1)
rbd create --size 16M "$pool/kk-test"
trap 'rbd remove --no-progress "$pool/kk-test"' EXIT
rbd bench --io-type write --io-size 4M --io-total 16M "$pool/kk-test"
{{ end -}}
