{{- /* The node's database: made at the first start, brought to the format of a later release at its start. */ -}}
{{- define "common.scripts.openvswitch-db.sh" -}}
set -eu
# Whoever is in the group may connect.
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
"""Tells the node's database which node this is and how it switches, and becomes ovs-vswitchd."""
import json
import os
import subprocess
import time

NODE = os.environ["NODE_NAME"]
# Without it guests leave checksums to hardware that is not there: ping works, TCP does not. vswitchd reads it once.
USERSPACE = {"userspace-tso-enable": "true"}
CONTROL = "/run/openvswitch/vswitchd.ctl"


def vsctl(*arguments):
    return subprocess.run(["ovs-vsctl", "--no-wait", "--timeout=5", *arguments]).returncode == 0


def kernel_switches():
    """Whether the kernel has Open vSwitch; asked for its family, it loads the module by itself."""
    return subprocess.run(["genl", "ctrl", "get", "name", "ovs_datapath"], capture_output=True).returncode == 0


def follow_devices():
    """Has the switch let go of each device that is gone. One that is made again under its name, as the tap of a guest that reboots,
    it opens then; in userspace it would go on with the old one otherwise, and hear nothing of the guest."""
    events = subprocess.Popen(["ip", "-oneline", "monitor", "link"], stdout=subprocess.PIPE, text=True)
    for event in events.stdout:
        if event.startswith("Deleted "):
            device = event.split()[2].rstrip(":").split("@")[0]
            subprocess.run(["ovs-appctl", "--target=" + CONTROL, "dpctl/del-if", "netdev@ovs-netdev", device], capture_output=True)


with open("/etc/openvswitch/switch.json") as file:
    switch = json.load(file)
datapath = switch["datapath"]
if datapath == "auto":
    datapath = "system" if kernel_switches() else "netdev"
print("datapath %s" % datapath, flush=True)

# The database's pod may be younger than this one.
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
    raise SystemExit("the database did not take the settings")
if datapath == "netdev" and os.fork() == 0:
    follow_devices()
    os._exit(1)
log = ["-vconsole:info", "-vsyslog:off", "-vfile:off"]
os.execvp("ovs-vswitchd", ["ovs-vswitchd", "unix:/run/openvswitch/db.sock", "--unixctl=" + CONTROL, *log])
{{ end -}}

{{- /* The switch of the node where the test runs answers. */ -}}
{{- define "common.scripts.openvswitch-test.sh" -}}
set -eu
ovs-vsctl --timeout=20 show
ovs-appctl --timeout=20 --target=/run/openvswitch/vswitchd.ctl dpif/show
{{ end -}}
