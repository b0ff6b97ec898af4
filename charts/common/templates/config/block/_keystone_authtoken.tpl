{{- /* keystonemiddleware: .params {user, service_type}. */ -}}
{{- define "common.config.block.keystone_authtoken" -}}
needs: [identity, oslo_cache]
options:
  keystone_authtoken:
    {{- include "common.config.account" (dict "ctx" .ctx "user" .params.user) | nindent 4 }}
    www_authenticate_uri: {{ include "common.endpoints.uri" (dict "ctx" .ctx "type" "identity" "interface" "public") | quote }}
    service_type: {{ .params.service_type | quote }}
    memcached_servers: {{ include "common.endpoints.members" (dict "ctx" .ctx "type" "oslo_cache" "port" "memcache") | quote }}
    memcache_security_strategy: ENCRYPT
    memcache_secret_key: {{ include "common.endpoints.credential" (dict "ctx" .ctx "oslo" true "path" "oslo_cache.memcache_secret_key") | quote }}
{{- end -}}
