{{- /* The port of its server; it reads the rest from /etc/panko/panko.conf. */ -}}
{{- define "common.config.block.panko_listen" -}}
options:
  port: {{ include "common.endpoints.port" (dict "ctx" .ctx "type" "event" "interface" "service") }}
{{- end -}}

{{- define "common.scripts.panko-test.py" -}}
"""Asks panko for its events, which needs a token and the database."""
import openstack

session = openstack.connect().session
answer = session.get("/v2/events", endpoint_filter={"service_type": "event", "interface": "internal"})
print("%d events" % len(answer.json()))
{{ end -}}
