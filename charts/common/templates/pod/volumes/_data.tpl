{{- /* The data of a component: gone with the pod, or a claim; a StatefulSet claims by itself. */ -}}
{{- define "common.pod.volumes.data" -}}
{{- if .unit.storage }}
{{- if .ctx.values.storage.ephemeral }}
- {name: data, emptyDir: {}}
{{- else if ne .unit.kind "StatefulSet" }}
- {name: data, persistentVolumeClaim: {claimName: {{ .unit.name }}}}
{{- end }}
{{- end }}
{{- end -}}
