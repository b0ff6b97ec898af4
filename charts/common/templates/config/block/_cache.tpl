{{- /* oslo.cache. */ -}}
{{- define "common.config.block.cache" -}}
needs: [oslo_cache]
options:
  cache:
    enabled: true
    backend: oslo_cache.memcache_pool
    memcache_servers: {{ include "common.endpoints.members" (dict "ctx" .ctx "type" "oslo_cache" "port" "memcache") | quote }}
{{- end -}}
