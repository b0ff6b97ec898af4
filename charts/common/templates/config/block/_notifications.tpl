{{- /*
oslo.messaging for a service that only notifies. The driver is noop without a consumer
(`notifications.enabled`), because a queue without a reader grows forever.
*/ -}}
{{- define "common.config.block.notifications" -}}
needs: [oslo_messaging]
options:
  DEFAULT:
    transport_url: {{ include "common.endpoints.transport" .ctx | quote }}
  oslo_messaging_notifications:
    driver: {{ ternary "messagingv2" "noop" .ctx.values.notifications.enabled }}
    transport_url: {{ include "common.endpoints.transport" .ctx | quote }}
  oslo_messaging_rabbit:
    heartbeat_in_pthread: false
    {{- if .ctx.values.tls.internal }}
    ssl: true
    ssl_ca_file: /etc/tls/ca.crt
    {{- end }}
    rabbit_quorum_queue: true
{{- end -}}
