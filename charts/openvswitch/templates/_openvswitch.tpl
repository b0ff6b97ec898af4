{{- /*
The node's database: created at the first start, converted to the format of a later release at its start.
*/ -}}
{{- define "common.scripts.openvswitch-db.sh" -}}
set -eu
# Users in the group may connect.
umask 007
db=/var/lib/openvswitch/conf.db
schema=/usr/share/openvswitch/vswitch.ovsschema
if [ ! -e $db ]; then
  rm -f $db.new
  ovsdb-tool create $db.new $schema
  mv $db.new $db
fi
if [ "$(ovsdb-tool needs-conversion $db $schema)" = yes ]; then
  ovsdb-tool convert $db $schema
fi
exec ovsdb-server $db --remote=punix:/run/openvswitch/db.sock --remote=db:Open_vSwitch,Open_vSwitch,manager_options \
  --unixctl=/run/openvswitch/db.ctl -vconsole:info -vsyslog:off -vfile:off
{{ end -}}

{{- define "common.scripts.openvswitch-vswitchd.py" -}}
"""Writes the identity of the node and the datapath into the node's database, and becomes ovs-vswitchd."""
import json
import os
import subprocess
import threading
import time

NODE = os.environ["NODE_NAME"]
# Without it, guests leave checksums to hardware that does not exist: ping works, TCP does not. vswitchd reads it once.
USERSPACE = {"userspace-tso-enable": "true"}
CONTROL = "/run/openvswitch/vswitchd.ctl"


def vsctl(*arguments):
    return subprocess.run(["ovs-vsctl", "--no-wait", "--timeout=5", *arguments]).returncode == 0


def kernel_switches():
    """Whether the kernel has Open vSwitch; the query of its family loads the module."""
    return subprocess.run(["genl", "ctrl", "get", "name", "ovs_datapath"], capture_output=True).returncode == 0


def is_down(device):
    """Whether a device exists, and is down (IFF_UP: if.h)."""
    try:
        with open("/sys/class/net/%s/flags" % device) as flags:
            return not int(flags.read(), 16) & 1
    except OSError:
        return False


def set_up(device):
    """Sets the device of a guest up that stays down: libvirt sets it up when it creates it, while the switch sets it promiscuous with
    the flags that it has read before (Open vSwitch 3.5: lib/netdev-linux.c, update_flags)."""
    time.sleep(1)
    if not is_down(device):
        return
    query = ["ovs-vsctl", "--timeout=5", "--if-exists", "get", "Interface", device, "external_ids:iface-status"]
    if subprocess.run(query, capture_output=True, text=True).stdout.strip() == "active":
        code = subprocess.run(["ip", "link", "set", "dev", device, "up"]).returncode
        print("%s was down, and %s" % (device, "is set up" if code == 0 else "cannot be set up"), flush=True)


def follow_devices():
    """Removes each deleted device from the datapath, so that the switch opens the next one of its name, such as the tap of a guest
    that reboots. In userspace it would otherwise keep the old device, and receive nothing from the guest. Sets devices of guests up."""
    events = subprocess.Popen(["ip", "-oneline", "monitor", "link"], stdout=subprocess.PIPE, text=True)
    for event in events.stdout:
        is_deleted, words = event.startswith("Deleted "), event.removeprefix("Deleted ").split()
        device = words[1].rstrip(":").split("@")[0]
        if is_deleted:
            subprocess.run(["ovs-appctl", "--target=" + CONTROL, "dpctl/del-if", "netdev@ovs-netdev", device], capture_output=True)
        elif "UP" not in words[2].strip("<>").split(","):
            threading.Thread(target=set_up, args=[device], daemon=True).start()


with open("/etc/openvswitch/switch.json") as file:
    switch = json.load(file)
datapath = switch["datapath"]
if datapath == "auto":
    datapath = "system" if kernel_switches() else "netdev"
print("datapath %s" % datapath, flush=True)

# The database's pod may start after this one.
while not vsctl("init"):
    time.sleep(1)
other = {**(USERSPACE if datapath == "netdev" else {}), **switch["other_config"]}
options = ["other_config:%s=%s" % (key, json.dumps(str(value))) for key, value in other.items()]
identity = ["system-id=" + NODE, "hostname=" + NODE, "ovn-bridge-datapath-type=" + datapath]
gone = ["--", "remove", "Open_vSwitch", ".", "other_config", *(key for key in USERSPACE if key not in other)]
done = vsctl(
    *("set", "Open_vSwitch", ".", *options, *("external_ids:" + each for each in identity)),
    *(gone if len(gone) > 5 else []),
)
if not done:
    raise SystemExit("the database did not accept the settings")
if datapath == "netdev" and os.fork() == 0:
    follow_devices()
    os._exit(1)
log = ["-vconsole:info", "-vsyslog:off", "-vfile:off"]
os.execvp("ovs-vswitchd", ["ovs-vswitchd", "unix:/run/openvswitch/db.sock", "--unixctl=" + CONTROL, *log])
{{ end -}}

{{- /* Queries the switch of the node on which the test runs. */ -}}
{{- define "common.scripts.openvswitch-test.sh" -}}
set -eu
ovs-vsctl --timeout=20 show
ovs-appctl --timeout=20 --target=/run/openvswitch/vswitchd.ctl dpif/show
{{ end -}}
