{{- /* --option=value for a command line, instead of a file. */ -}}
{{- define "common.config.format.argv" -}}
{{- $arguments := list -}}
{{- range $option, $value := . -}}
{{- if not (kindIs "invalid" $value) -}}
{{- $arguments = append $arguments (printf "--%s=%s" $option (include "common.config.scalar" $value)) -}}
{{- end -}}
{{- end -}}
{{- join " " $arguments -}}
{{- end -}}
