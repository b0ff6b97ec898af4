{{- /*
The account with which a service logs in to keystone as .user: options for any section of its configuration.
*/ -}}
{{- define "common.config.account" -}}
{{- $identity := dict "ctx" .ctx "type" "identity" "user" .user -}}
auth_type: password
auth_url: {{ include "common.endpoints.uri" $identity | quote }}
username: {{ include "common.endpoints.auth" (merge (dict "field" "username" "default" .user) $identity) | quote }}
password: {{ include "common.endpoints.credential" (dict "ctx" .ctx "oslo" true "path" (printf "identity.%s.password" .user)) | quote }}
project_name: {{ include "common.endpoints.auth" (merge (dict "field" "project_name" "default" "service") $identity) | quote }}
project_domain_name: {{ include "common.endpoints.auth" (merge (dict "field" "project_domain_name" "default" "Default") $identity) | quote }}
user_domain_name: {{ include "common.endpoints.auth" (merge (dict "field" "user_domain_name" "default" "Default") $identity) | quote }}
region_name: {{ .ctx.values.region | quote }}
{{- end -}}
