{{- /* The keys and certificates with which OVN's programs identify themselves and others. */ -}}
{{- define "common.scripts.ovn-tls" -}}
{{- if .values.tls.internal -}}
tls=(--private-key=/etc/tls/tls.key --certificate=/etc/tls/tls.crt --ca-cert=/etc/tls/ca.crt)
for program in ovsdb-client ovn-nbctl ovn-sbctl; do eval "$program() { command $program \"\${tls[@]}\" \"\$@\"; }"; done
{{ end -}}
{{- end -}}

{{- /*
The start of a member of a database. A single one is a cluster of one, which others can join. A member without
data joins an existing cluster. Only the first creates one, when all others answer that they are in none: one
that is silent may have the data.
*/ -}}
{{- define "common.scripts.ovn-db.sh" -}}
{{- $scheme := ternary "ssl" "tcp" .values.tls.internal -}}
set -eu
{{ include "common.scripts.ovn-tls" . -}}
db=/var/lib/ovn/$DATABASE.db
domain=${ADDRESS#*.}
set=${POD_NAME%-*}
ordinal=${POD_NAME##*-}
address() { echo "{{ $scheme }}:$set-$1.$domain:$RAFT_PORT"; }

# Sets the addresses of the other pods: all, those that are in a cluster (one that joins has the ID 0), and those that are silent.
query='["_Server",{"op":"select","table":"Database","where":[["name","==","'$DATABASE'"]],"columns":["cid"]}]'
ask_others() {
  all='' clustered='' silent=''
  for i in 0 1 2 3 4 5 6; do
    host=$set-$i.$domain
    if [ "$i" = "$ordinal" ] || ! getent ahosts "$host" >/dev/null; then continue; fi
    all="$all $(address "$i")"
    case $(ovsdb-client --timeout=3 transact "{{ $scheme }}:$host:$PORT" "$query" 2>/dev/null || echo silent) in
      silent) silent="$silent $set-$i" ;;
      *00000000-0000-0000-0000-000000000000*) ;;
      *uuid*) clustered="$clustered $(address "$i")" ;;
    esac
  done
}

{{ if .values.tls.internal -}}
if [ -e "$db" ] && [[ $(ovsdb-tool db-local-address "$db") != ssl:* ]]; then
  echo "members of $DATABASE have used no TLS since their first start, and Raft keeps their addresses (kk docs tls)" >&2
  exit 1
fi
{{ end -}}
if [ ! -e "$db" ]; then
  rm -f "$db.new"
  ask_others
  until [ "$ordinal" != 0 ] || [ -n "$clustered" ] || [ -z "$silent" ] || [ "$SECONDS" -gt 300 ]; do
    echo "waiting for$silent: the data of $DATABASE may be there"
    sleep 3
    ask_others
  done
  if [ -z "$clustered" ] && [ "$ordinal" = 0 ]; then
    ovsdb-tool --election-timer=5000 create-cluster "$db.new" "$SCHEMA" "$(address 0)"
  else
    # shellcheck disable=SC2086
    ovsdb-tool join-cluster "$db.new" "$DATABASE" "$(address "$ordinal")" ${clustered:-${all:-$(address 0)}}
  fi
  mv "$db.new" "$db"
fi

# A newer schema applies to the whole cluster: the first member that has it converts the database.
convert() {
  ovsdb-client --timeout=600 wait unix:/run/ovn/db.sock "$DATABASE" connected
  has=$(ovsdb-client get-schema-version unix:/run/ovn/db.sock "$DATABASE")
  knows=$(ovsdb-tool schema-version "$SCHEMA")
  if [ "$has" != "$knows" ] && [ "$(printf '%s\n' "$has" "$knows" | sort --version-sort | tail -n 1)" = "$knows" ]; then
    ovsdb-client convert unix:/run/ovn/db.sock "$SCHEMA"
  fi
}
(convert &)

mkdir -p /run/ovn
listen=0.0.0.0
case $POD_IP in *:*) listen="[::]" ;; esac
cat >/run/ovn/db.json <<JSON
{"remotes": {"punix:/run/ovn/db.sock": {}, "p{{ $scheme }}:$PORT:$listen": {"inactivity-probe": $INACTIVITY_PROBE}},
 "databases": {"$db": {"service-model": "clustered"}}}
JSON
exec ovsdb-server{{ if .values.tls.internal }} "${tls[@]}"{{ end }} --config-file=/run/ovn/db.json --unixctl=/run/ovn/db.ctl -vconsole:info -vsyslog:off -vfile:off
{{ end -}}

{{- define "common.scripts.ovn-probe.sh" -}}
set -eu
ask() { ovn-appctl --timeout=5 "--target=/run/ovn/$1.ctl" "${@:2}"; }
case $1 in
  # In a cluster that has a leader.
  member)
    status=$(ask db cluster/status "$DATABASE")
    grep -qx "Status: cluster member" <<<"$status"
    ! grep -qx "Leader: unknown" <<<"$status"
    ;;
  alive) ask db version ;;
  northd) [ "$(ask northd nb-connection-status)" = connected ] && [ "$(ask northd sb-connection-status)" = connected ] ;;
  controller) [ "$(ask controller connection-status)" = connected ] ;;
esac
{{ end -}}

{{- define "common.scripts.ovn-chassis.py" -}}
"""Configures OVN's address in the switch of this node, and creates the bridges of the outside networks that the node reaches."""
import subprocess
import time

{{ include "common.scripts.cluster" . }}

NODE = os.environ["NODE_NAME"]
# A userspace switch sends tunnels by a bridge of its own only: this one, which takes over the address of the interface for tunnels.
TUNNELS = "br-tun"


def vsctl(*arguments):
    command = ["ovs-vsctl", "--timeout=30", *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip().strip('"')


def link(*arguments):
    subprocess.run(["ip", *arguments], check=True)


def addresses(interface):
    shown = subprocess.run(["ip", "-json", "address", "show", interface], stdout=subprocess.PIPE, check=True).stdout
    return [each for each in json.loads(shown)[0]["addr_info"] if each["scope"] == "global"]


def is_alone():
    path = "/apis/apps/v1/namespaces/%s/daemonsets/%s" % (NAMESPACE, os.environ["DAEMONSET"])
    return request("GET", path)["status"]["desiredNumberScheduled"] < 2


def tunnel_address(interface, datapath):
    if not interface:
        own = os.environ["POD_IP"]
        if datapath == "netdev" and not is_alone():
            found = [each["local"] for bridge in vsctl("list-br").split() for each in addresses(bridge)]
            if own not in found:
                raise SystemExit(
                    "the switch of %s runs in userspace and sends no tunnels from %s, which is on none of its bridges: "
                    "state an interface for tunnels alone in conf.chassis.tunnel_interface" % (NODE, own)
                )
        return own
    if datapath == "netdev":
        connect({"bridge": TUNNELS, "interface": interface}, datapath)
        for each in addresses(interface):
            address = "%s/%d" % (each["local"], each["prefixlen"])
            link("address", "delete", address, "dev", interface)
            link("address", "replace", address, "dev", TUNNELS)
        interface = TUNNELS
    found = addresses(interface)
    if not found:
        raise SystemExit("%s of %s has no address for tunnels" % (interface, NODE))
    return found[0]["local"]


def reached(networks):
    """The networks outside that this node reaches, by its labels."""
    labels = request("GET", "/api/v1/nodes/" + NODE)["metadata"]["labels"]
    return {
        name: network
        for name, network in networks.items()
        if all(labels.get(key) == value for key, value in (network.get("nodes") or {}).items())
    }


def connect(network, datapath):
    bridge = network["bridge"]
    vsctl("--may-exist", "add-br", bridge, "--", "set", "Bridge", bridge, "datapath_type=" + datapath)
    if network.get("interface"):
        vsctl("--may-exist", "add-port", bridge, network["interface"])
        link("link", "set", network["interface"], "up")
    link("link", "set", bridge, "up")
    if network.get("address"):
        link("address", "replace", network["address"], "dev", bridge)


with open("/var/lib/kolla/config_files/chassis.json") as file:
    chassis = json.load(file)
# The pods of the switch may start after this one.
while subprocess.run(["ovs-appctl", "--timeout=5", "--target=/run/openvswitch/vswitchd.ctl", "version"]).returncode:
    time.sleep(1)
networks = reached(chassis["networks"])
datapath = vsctl("get", "Open_vSwitch", ".", "external_ids:ovn-bridge-datapath-type")
for network in networks.values():
    connect(network, datapath)
ids = {
    **chassis["external_ids"],
    "ovn-remote": os.environ["OVN_REMOTE"],
    "ovn-encap-ip": tunnel_address(chassis["tunnel_interface"], datapath),
    "ovn-bridge-mappings": ",".join("%s:%s" % (name, each["bridge"]) for name, each in networks.items()),
    "ovn-cms-options": "enable-chassis-as-gw" if networks else "",
}
vsctl("set", "Open_vSwitch", ".", *("external_ids:%s=%s" % (key, json.dumps(str(value))) for key, value in ids.items()))
print("networks outside: %s" % (", ".join(networks) or "none"))
{{ end -}}

{{- /*
How the programs of OVN resolve names (libunbound). They resolve a name in the background, and use the result at their next
attempt to connect to it: 8 s later for each member. With a shorter time to live, such as CoreDNS' 5 s, the result would
have expired each time, and a program that lost its member would never connect to another (Open vSwitch 3.5: lib/dns-resolve.c).
*/ -}}
{{- define "common.scripts.ovn-unbound.conf" -}}
server:
  cache-min-ttl: 60
{{ end -}}

{{- /* Creates a network, which northd copies from one database to the other, and expects a node. */ -}}
{{- define "common.scripts.ovn-test.sh" -}}
set -eu
{{ include "common.scripts.ovn-tls" . -}}
ovn-nbctl --timeout=60 --wait=sb --may-exist ls-add kk-test
trap 'ovn-nbctl --timeout=60 --wait=sb --if-exists ls-del kk-test' EXIT
ovn-sbctl --timeout=20 --bare --columns=external_ids find Datapath_Binding external_ids:name=kk-test | grep kk-test
ovn-sbctl --timeout=20 --bare --columns=hostname list Chassis | grep .
{{ end -}}
