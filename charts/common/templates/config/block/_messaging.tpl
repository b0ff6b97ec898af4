{{- /*
oslo.messaging for a service whose parts call each other. Queues are replicated, and named after host and process, so that
they are few; what a queue is can not be changed while it exists: every release of a service says the same.
*/ -}}
{{- define "common.config.block.messaging" -}}
needs: [oslo_messaging]
options:
  DEFAULT:
    transport_url: {{ include "common.endpoints.transport" .ctx | quote }}
  oslo_messaging_notifications:
    driver: noop
    transport_url: {{ include "common.endpoints.transport" .ctx | quote }}
  oslo_messaging_rabbit:
    heartbeat_in_pthread: false
    rabbit_qos_prefetch_count: 1
    rabbit_quorum_queue: true
    rabbit_stream_fanout: true
    rabbit_transient_quorum_queue: true
    use_queue_manager: true
{{- end -}}
