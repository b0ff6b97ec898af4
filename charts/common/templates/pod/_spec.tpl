{{- /* The pod of a unit. */ -}}
{{- define "common.pod.spec" -}}
{{- $unit := .unit -}}
serviceAccountName: {{ $unit.account }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with include "common.pod.host" . | trim }}
{{ . }}
{{- end }}
{{- with $unit.restart }}
restartPolicy: {{ . }}
{{- end }}
securityContext:
  {{- include "common.pod.security" . | nindent 2 }}
{{ include "common.pod.scheduling" . }}
{{- with include "common.pod.init" . | trim }}
initContainers:
{{ . }}
{{- end }}
containers:
{{ include "common.pod.container" . }}
{{- with include "common.pod.volumes" . | trim }}
volumes:
{{ . }}
{{- end }}
{{- end -}}
