{{- /*
oslo.messaging for a service whose parts call each other. Queues are replicated, and named after host and
process, so that there are few. The properties of a queue cannot change while it exists, so every release of a
service declares the same. Servers answer pings, by which probes check them (`rpc`).
*/ -}}
{{- define "common.config.block.messaging" -}}
{{- $block := fromYaml (include "common.config.block.notifications" .) -}}
{{- $calls := fromYaml "{rabbit_qos_prefetch_count: 1, rabbit_stream_fanout: true, rabbit_transient_quorum_queue: true, use_queue_manager: true}" -}}
{{- mergeOverwrite $block (dict "options" (dict "DEFAULT" (dict "rpc_ping_enabled" true) "oslo_messaging_rabbit" $calls)) | toYaml -}}
{{- end -}}
