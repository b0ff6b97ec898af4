{{- /* The spec of a claim: the user's class, size and access, over the size of the facts. */ -}}
{{- define "common.kinds.claim" -}}
{{- $storage := .ctx.values.storage -}}
accessModes: [{{ ternary "ReadWriteOnce" $storage.access (eq .unit.kind "StatefulSet") }}]
{{- with $storage.class }}
storageClassName: {{ . }}
{{- end }}
{{- if .unit.storage.device }}
volumeMode: Block
{{- end }}
resources:
  requests:
    storage: {{ $storage.size | default .unit.storage.size }}
{{- end -}}
