{{- /* The pod of a unit. It shares nothing with its node, except the unit's `host` facts. */ -}}
{{- define "common.pod.spec" -}}
serviceAccountName: {{ .unit.account }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- range $name, $isShared := .unit.host }}
{{- if $isShared }}
host{{ get (dict "network" "Network" "pid" "PID" "ipc" "IPC") $name }}: true
{{- end }}
{{- end }}
{{- if dig "network" false (.unit.host | default dict) }}
dnsPolicy: ClusterFirstWithHostNet
{{- end }}
{{- with .ctx.values.images.pull_secrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .unit.settings.hostAliases }}
hostAliases:
  {{- toYaml . | nindent 2 }}
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
