{{- define "common.kinds.networkpolicy.ports" -}}
{{- range $name, $_ := . }}
- {protocol: TCP, port: {{ $name }}}
{{- end }}
{{- end -}}
