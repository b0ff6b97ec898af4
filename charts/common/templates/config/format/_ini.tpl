{{- /*
section → option → value. Lists are joined by commas; `{type: multistring, values: […]}` (openstack-helm's way)
repeats the option; null leaves it out; more lines than one are indented, as oslo.config continues them.
*/ -}}
{{- define "common.config.format.ini" -}}
{{- range $section, $options := . -}}
{{- if $options }}
[{{ $section }}]
{{- range $option, $value := $options }}
{{- if kindIs "invalid" $value }}
{{- else if and (kindIs "map" $value) (eq (toString $value.type) "multistring") }}
{{- range $value.values }}
{{ $option }} = {{ include "common.config.scalar" . }}
{{- end }}
{{- else if kindIs "slice" $value }}
{{- $items := list }}
{{- range $value }}{{- $items = append $items (include "common.config.scalar" .) }}{{- end }}
{{ $option }} = {{ join "," $items }}
{{- else }}
{{ $option }} = {{ include "common.config.scalar" $value | replace "\n" "\n  " }}
{{- end }}
{{- end }}
{{ end -}}
{{- end -}}
{{- end -}}
