{{- /* Who balances, by octavia's own word. */ -}}
{{- define "common.scripts.octavia-test.py" -}}
"""Asks octavia for its providers: that takes a token and OVN's driver."""
import openstack

names = [each.name for each in openstack.connect().load_balancer.providers()]
assert "ovn" in names, names
print("providers: %s" % ", ".join(names))
{{ end -}}
