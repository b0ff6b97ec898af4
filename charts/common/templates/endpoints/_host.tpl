{{- /*
The full name of the host of an endpoint: .type, .interface (internal). Addresses and full names are
unchanged.
*/ -}}
{{- define "common.endpoints.host" -}}
{{- with include "common.endpoints.service" . -}}
{{ splitList ":" . | last }}.{{ splitList ":" . | first }}.svc.{{ $.ctx.endpoints.cluster_domain_suffix }}
{{- else -}}
{{ include "common.endpoints.value" (merge (dict "attribute" "host_fqdn_override") .) | default (include "common.endpoints.value" (merge (dict "attribute" "hosts") .)) }}
{{- end -}}
{{- end -}}
