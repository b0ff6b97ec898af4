{{- /* Only ceilometer creates the resource types of virtual machines in gnocchi. */ -}}
{{- define "common.scripts.ceilometer-test.py" -}}
"""Asks gnocchi for the resource types that ceilometer-upgrade has created."""
import openstack

session = openstack.connect().session
answer = session.get("/v1/resource_type", endpoint_filter={"service_type": "metric", "interface": "internal"})
names = [each["name"] for each in answer.json()]
assert "instance" in names, names
print("%d resource types" % len(names))
{{ end -}}
