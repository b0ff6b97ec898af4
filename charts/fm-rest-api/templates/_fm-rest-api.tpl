{{- /* Its port, and the region of its alarms. */ -}}
{{- define "common.config.block.faults" -}}
options:
  DEFAULT: {region_name: {{ .ctx.values.region | quote }}}
  api:
    bind_port: {{ include "common.endpoints.port" (dict "ctx" .ctx "type" "faultmanagement" "interface" "service") }}
  sysinv: {os_region_name: {{ .ctx.values.region | quote }}}
{{- end -}}

{{- /* The pipeline of requests: StarlingX's api-paste.ini. */ -}}
{{- define "common.config.block.pipeline" -}}
options:
  pipeline:fm-api: {pipeline: request_id authtoken api_v1}
  app:api_v1: {paste.app_factory: "fm.api.app:app_factory"}
  filter:request_id: {paste.filter_factory: "oslo_middleware:RequestId.factory"}
  filter:authtoken: {acl_public_routes: "/, /v1", paste.filter_factory: "fm.api.middleware.auth_token:AuthTokenMiddleware.factory"}
{{- end -}}

{{- define "common.scripts.fm-api.sh" -}}
exec fm-api --config-file /var/lib/kolla/config_files/fm.conf
{{ end -}}

{{- define "common.scripts.fm-dbsync.sh" -}}
exec fm-dbsync --config-file /var/lib/kolla/config_files/fm.conf
{{ end -}}

{{- define "common.scripts.fm-test.py" -}}
"""Asks for the alarms, which needs a token and the database."""
import openstack

session = openstack.connect().session
answer = session.get("/alarms", endpoint_filter={"service_type": "faultmanagement", "interface": "internal"})
print("%d alarms" % len(answer.json()["alarms"]))
{{ end -}}
