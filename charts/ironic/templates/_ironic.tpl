{{- /* Drivers that a conductor has: that takes a token, the database, and a conductor that lives. */ -}}
{{- define "common.scripts.ironic-test.py" -}}
"""Asks ironic for its drivers: a conductor must have one."""
import openstack

names = [driver.name for driver in openstack.connect().baremetal.drivers()]
assert names, "no conductor has a driver"
print("drivers: %s" % ", ".join(names))
{{ end -}}
