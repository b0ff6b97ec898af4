{{- /* The message bus of agents in virtual machines: the cloud's own, unless `conf.murano.rabbitmq` names another. */ -}}
{{- define "common.config.block.agents" -}}
options:
  murano:
    url: {{ include "common.endpoints.uri" (dict "ctx" .ctx "type" "application_catalog") | quote }}
  rabbitmq:
    host: {{ include "common.endpoints.host" (dict "ctx" .ctx "type" "oslo_messaging") | quote }}
    port: {{ include "common.endpoints.port" (dict "ctx" .ctx "type" "oslo_messaging") }}
    {{- if .ctx.values.tls.internal }}
    ssl: true
    ca_certs: /etc/tls/ca.crt
    {{- end }}
    password: {{ include "common.endpoints.credential" (dict "ctx" .ctx "oslo" true "path" "application_catalog.agent.password") | quote }}
{{- end -}}

{{- define "common.scripts.murano-test.py" -}}
"""Asks murano for its environments, which needs a token and the database."""
import openstack

session = openstack.connect().session
answer = session.get("/v1/environments", endpoint_filter={"service_type": "application-catalog", "interface": "internal"})
print("%d environments" % len(answer.json()["environments"]))
{{ end -}}
