{{- /* `extraObjects`: objects of the deployer's, which belong to the release. */ -}}
{{- define "common.kinds.extra" -}}
{{- range .root.Values.extraObjects }}
---
{{ toYaml . }}
{{ end -}}
{{- end -}}
