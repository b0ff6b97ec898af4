{{- /* A new volume is empty, but the directories that uwsgi serves must exist when it starts. */ -}}
{{- define "common.scripts.ironic-conductor.sh" -}}
set -euo pipefail
mkdir --parents /var/lib/ironic/{httpboot,images,tmp}
case $POD_IP in *:*) POD_IP="[$POD_IP]" ;; esac
export OS_DEPLOY__HTTP_URL="http://$POD_IP:8089"
exec uwsgi /etc/ironic/ironic-http-uwsgi.ini
{{ end -}}

{{- /* Lists the drivers of the conductors, which takes a token, the database, and a live conductor. */ -}}
{{- define "common.scripts.ironic-test.py" -}}
"""Asks ironic for its drivers: a conductor must have one."""
import openstack

names = [driver.name for driver in openstack.connect().baremetal.drivers()]
assert names, "no conductor has a driver"
print("drivers: %s" % ", ".join(names))
{{ end -}}
