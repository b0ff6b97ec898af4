{{- /* tooz with Valkey, by which the processes of a service share their work. */ -}}
{{- define "common.config.block.coordination" -}}
{{- $server := dict "ctx" .ctx "type" "coordination" -}}
needs: [coordination]
options:
  coordination:
    backend_url: redis://{{ include "common.endpoints.login" (merge (dict "user" "admin") $server) }}@{{ include "common.endpoints.host" $server }}:{{ include "common.endpoints.port" $server }}
{{- end -}}
