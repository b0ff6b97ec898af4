{{- /* The full name of the host of an endpoint: .type, .interface (internal). Addresses and full names stay. */ -}}
{{- define "common.endpoints.host" -}}
{{- $interface := .interface | default "internal" -}}
{{- $entry := include "common.endpoints.entry" . | mustFromJson -}}
{{- $override := include "common.endpoints.value" (dict "of" $entry.host_fqdn_override "interface" $interface) -}}
{{- $host := include "common.endpoints.value" (dict "of" $entry.hosts "interface" $interface) -}}
{{- if $override -}}
{{ $override }}
{{- else if regexMatch "[.:]" $host -}}
{{ $host }}
{{- else -}}
{{ $host }}.{{ $entry.namespace | default .ctx.namespace }}.svc.{{ .ctx.endpoints.cluster_domain_suffix }}
{{- end -}}
{{- end -}}
