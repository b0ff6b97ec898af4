{{- /* keystonemiddleware: .params {user, service_type}. */ -}}
{{- define "common.config.block.keystone_authtoken" -}}
{{- $identity := dict "ctx" .ctx "type" "identity" "user" .params.user -}}
needs: [identity, oslo_cache]
options:
  keystone_authtoken:
    auth_type: password
    auth_url: {{ include "common.endpoints.uri" $identity | quote }}
    www_authenticate_uri: {{ include "common.endpoints.uri" (merge (dict "interface" "public") $identity) | quote }}
    username: {{ include "common.endpoints.auth" (merge (dict "field" "username" "default" .params.user) $identity) | quote }}
    password: {{ include "common.endpoints.credential" (dict "ctx" .ctx "path" (printf "identity.%s.password" .params.user)) | quote }}
    project_name: {{ include "common.endpoints.auth" (merge (dict "field" "project_name" "default" "service") $identity) | quote }}
    project_domain_name: {{ include "common.endpoints.auth" (merge (dict "field" "project_domain_name" "default" "Default") $identity) | quote }}
    user_domain_name: {{ include "common.endpoints.auth" (merge (dict "field" "user_domain_name" "default" "Default") $identity) | quote }}
    region_name: {{ .ctx.values.region | quote }}
    service_type: {{ .params.service_type | quote }}
    memcached_servers: {{ include "common.endpoints.members" (dict "ctx" .ctx "type" "oslo_cache" "port" "memcache") | quote }}
    memcache_security_strategy: ENCRYPT
    memcache_secret_key: {{ include "common.endpoints.credential" (dict "ctx" .ctx "path" "oslo_cache.memcache_secret_key") | quote }}
{{- end -}}
