{{- /*
section → option → value. Lists are joined by commas; `{type: multistring, values: […]}` (openstack-helm's
notation) repeats the option; further lines of a value are indented, which oslo.config reads as its
continuation.
*/ -}}
{{- define "common.config.format.ini" -}}
{{- range $section, $options := . -}}
{{- if $options }}
[{{ $section }}]
{{- range $option, $value := $options }}
{{- if and (kindIs "map" $value) (eq (toString $value.type) "multistring") }}
{{- range $value.values }}
{{ $option }} = {{ include "common.config.scalar" . }}
{{- end }}
{{- else if kindIs "slice" $value }}
{{ $option }} = {{ range $i, $item := $value }}{{ if $i }},{{ end }}{{ include "common.config.scalar" $item }}{{ end }}
{{- else }}
{{ $option }} = {{ include "common.config.scalar" $value | replace "\n" "\n  " }}
{{- end }}
{{- end }}
{{ end -}}
{{- end -}}
{{- end -}}

{{- /* option = value, a line each (rabbitmq.conf). */ -}}
{{- define "common.config.format.properties" -}}
{{- range $option, $value := . -}}
{{ $option }} = {{ include "common.config.scalar" $value }}
{{ end -}}
{{- end -}}

{{- /* --option=value for a command line, instead of a file. */ -}}
{{- define "common.config.format.argv" -}}
{{- $arguments := list -}}
{{- range $option, $value := . -}}
{{- $arguments = append $arguments (printf "--%s=%s" $option (include "common.config.scalar" $value)) -}}
{{- end -}}
{{- join " " $arguments -}}
{{- end -}}

{{- /* NAME = literal, a line each (Django's settings). */ -}}
{{- define "common.config.format.python" -}}
{{- range $name, $value := . -}}
{{ $name }} = {{ include "common.config.format.python.literal" $value }}
{{ end -}}
{{- end -}}

{{- /* JSON except for true, false and null; JSON's strings are also Python's. */ -}}
{{- define "common.config.format.python.literal" -}}
{{- if kindIs "map" . -}}
{ {{- range $key, $value := . -}}{{ toJson $key }}: {{ include "common.config.format.python.literal" $value }}, {{ end -}} }
{{- else if kindIs "slice" . -}}
[{{- range . -}}{{ include "common.config.format.python.literal" . }}, {{ end -}}]
{{- else if kindIs "bool" . -}}
{{ ternary "True" "False" . }}
{{- else if kindIs "invalid" . -}}
None
{{- else -}}
{{ toJson . }}
{{- end -}}
{{- end -}}

{{- define "common.config.format.json" -}}
{{- toPrettyJson . -}}
{{- end -}}

{{- define "common.config.format.yaml" -}}
{{- toYaml . -}}
{{- end -}}

{{- define "common.config.format.text" -}}
{{- . -}}
{{- end -}}

{{- /* A value as a string. Helm's numbers are floats: printed directly, 1048576 becomes 1.048576e+06. */ -}}
{{- define "common.config.scalar" -}}
{{- if kindIs "string" . -}}{{ . }}{{- else -}}{{ toJson . }}{{- end -}}
{{- end -}}

{{- /* An .option FILE.SECTION.OPTION of the release's files as a string; .default, or "", if no file sets it. */ -}}
{{- define "common.config.option" -}}
{{- $parts := splitList "." .option -}}
{{- dig (index $parts 0) "sections" (index $parts 1) (index $parts 2) (.default | default "") .ctx.files | include "common.config.scalar" -}}
{{- end -}}
