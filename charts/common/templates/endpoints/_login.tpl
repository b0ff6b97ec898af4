{{- /*
`user:password` of an account for a URL (RFC 3986, in which a plus is a plus): .type, .user; .default is its
name if the account has none.
*/ -}}
{{- define "common.endpoints.login" -}}
{{- $user := include "common.endpoints.auth" (merge (dict "field" "username") .) -}}
{{- $password := include "common.endpoints.credential" (dict "ctx" .ctx "path" (printf "%s.%s.password" .type .user)) -}}
{{- printf "%s:%s" (urlquery $user) (urlquery $password) | replace "+" "%20" -}}
{{- end -}}
