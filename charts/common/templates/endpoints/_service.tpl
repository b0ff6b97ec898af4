{{- /* `namespace:service` of an endpoint inside the cluster; nothing where a name or address elsewhere replaces it. */ -}}
{{- define "common.endpoints.service" -}}
{{- $entry := include "common.endpoints.entry" . | mustFromJson -}}
{{- $override := include "common.endpoints.value" (dict "of" $entry.host_fqdn_override "interface" "internal") -}}
{{- $host := include "common.endpoints.value" (dict "of" $entry.hosts "interface" "internal") -}}
{{- if not (or $override (regexMatch "[.:]" $host)) -}}
{{ $entry.namespace | default .ctx.namespace }}:{{ $host }}
{{- end -}}
{{- end -}}
