{{- /*
The public side of endpoints where an ingress controller is in front of them (`ingress.enabled`, `ingress.domain`), in the catalogue: what
a deployer says of an endpoint is stronger. What is `public` there is a name below the domain.
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
