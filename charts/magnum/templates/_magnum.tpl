{{- /*
The endpoints of the services that make up clusters, and the administrator of the users of clusters.
*/ -}}
{{- define "common.config.block.clusters" -}}
options:
  {{- range $service := list "barbican" "cinder" "glance" "heat" "magnum" "neutron" "nova" "octavia" }}
  {{ $service }}_client:
    region_name: {{ $.ctx.values.region | quote }}
    # Clusters report to magnum itself, from outside.
    endpoint_type: {{ ternary "publicURL" "internalURL" (eq $service "magnum") }}
  {{- end }}
  trust:
    trustee_keystone_region_name: {{ .ctx.values.region | quote }}
    trustee_domain_admin_password: {{ include "common.endpoints.credential" (dict "ctx" .ctx "oslo" true "path" "identity.magnum_stack_user.password") | quote }}
{{- end -}}

{{- /* The services of magnum, as magnum reports them. */ -}}
{{- define "common.scripts.magnum-test.py" -}}
"""Asks magnum for its services: a conductor must be up."""
import openstack

session = openstack.connect().session
answer = session.get("/mservices", endpoint_filter={"service_type": "container-infra", "interface": "internal"})
services = answer.json()["mservices"]
for service in services:
    print("%s on %s is %s" % (service["binary"], service["host"], service["state"]))
assert any(service["state"] == "up" for service in services), "no conductor is up"
{{ end -}}
