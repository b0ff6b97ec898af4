{{- /* What gnocchi knows of virtual machines, it knows from here. */ -}}
{{- define "common.scripts.ceilometer-test.py" -}}
"""Asks gnocchi for the kinds of resources that ceilometer-upgrade has made."""
import openstack

session = openstack.connect().session
answer = session.get("/v1/resource_type", endpoint_filter={"service_type": "metric", "interface": "internal"})
names = [each["name"] for each in answer.json()]
assert "instance" in names, names
print("%d kinds of resources" % len(names))
{{ end -}}
