{{- /*
The public side of endpoints behind an ingress controller (`ingress.enabled`, `ingress.domain`): their
`public` in the catalogue is a name below the domain. A deployer's settings of an endpoint override it.
*/ -}}
{{- define "common.context.names" -}}
{{- if and .ingress.enabled .ingress.domain -}}
{{- range $entry := omit .endpoints "cluster_domain_suffix" -}}
{{- with $entry.public -}}
{{- $port := dict (keys $entry.port | first) (dict "public" 443) -}}
{{- $host := dict "public" (dict "host" (printf "%s.%s" . $.ingress.domain)) -}}
{{- include "common.context.merge" (dict "into" $entry "from" (dict "host_fqdn_override" $host "scheme" (dict "public" "https") "port" $port)) -}}
{{- end }}{{ end }}{{ end -}}
{{- end -}}
