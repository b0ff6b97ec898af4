{{- /* Lists the resource classes, which takes a token and the database. */ -}}
{{- define "common.scripts.placement-test.py" -}}
"""Asks placement for the classes of resources, which needs a token and the database."""
import openstack

placement = openstack.connect().placement
answer = placement.get("/resource_classes", microversion="1.2")
answer.raise_for_status()
names = [each["name"] for each in answer.json()["resource_classes"]]
assert "VCPU" in names, names
print("%d resource classes" % len(names))
{{ end -}}
