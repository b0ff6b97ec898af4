{{- /* The pod of a unit. It shares nothing with its node, unless the unit's facts say so (`host`). */ -}}
{{- define "common.pod.spec" -}}
serviceAccountName: {{ .unit.account }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .unit.host }}
{{- if .network }}
hostNetwork: true
dnsPolicy: ClusterFirstWithHostNet
{{- end }}
{{- if .pid }}
hostPID: true
{{- end }}
{{- if .ipc }}
hostIPC: true
{{- end }}
{{- end }}
{{- with get (dict "job" "OnFailure" "test" "Never") .unit.role }}
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
volumes:
{{ include "common.pod.volumes" . | trim }}
{{- end -}}
