{{- /*
`namespace:service` of an endpoint inside the cluster: .type, .interface (internal); empty if a name or
address elsewhere replaces it.
*/ -}}
{{- define "common.endpoints.service" -}}
{{- $override := include "common.endpoints.value" (merge (dict "attribute" "host_fqdn_override") .) -}}
{{- $host := include "common.endpoints.value" (merge (dict "attribute" "hosts") .) -}}
{{- if not (or $override (regexMatch "[.:]" $host)) -}}
{{ (get .ctx.endpoints .type).namespace | default .ctx.namespace }}:{{ $host }}
{{- end -}}
{{- end -}}
