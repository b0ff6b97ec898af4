{{- /* For containers that need nothing of their image's user. */ -}}
{{- define "common.pod.security.strict" -}}
allowPrivilegeEscalation: false
capabilities: {drop: [ALL]}
readOnlyRootFilesystem: true
runAsNonRoot: true
runAsUser: 65534
{{- end -}}
