{{- /* A new volume is empty, and what uwsgi serves must be there when it starts. */ -}}
{{- define "common.scripts.ironic-conductor.sh" -}}
set -euo pipefail
mkdir --parents /var/lib/ironic/{httpboot,images,tmp}
exec uwsgi /etc/ironic/ironic-http-uwsgi.ini
{{ end -}}

{{- /* Drivers that a conductor has: that takes a token, the database, and a conductor that lives. */ -}}
{{- define "common.scripts.ironic-test.py" -}}
"""Asks ironic for its drivers: a conductor must have one."""
import openstack

names = [driver.name for driver in openstack.connect().baremetal.drivers()]
assert names, "no conductor has a driver"
print("drivers: %s" % ", ".join(names))
{{ end -}}
