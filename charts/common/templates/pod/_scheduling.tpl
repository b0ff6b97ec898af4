{{- /* Where a pod runs and how it ends: openstack-helm's labels, anti-affinity, tolerations, priority, grace. */ -}}
{{- define "common.pod.scheduling" -}}
{{- $ctx := .ctx -}}
{{- $unit := .unit -}}
{{- $pod := $ctx.values.pod -}}
{{- $role := ternary $unit.key $unit.role (eq $unit.role "component") -}}
{{- $label := include "common.context.pick" (dict "ctx" $ctx "key" $role "of" $ctx.values.labels) | mustFromJson | default (get $ctx.values.labels.roles ($unit.node | default "control_plane")) -}}
{{- $grace := include "common.context.pick" (dict "ctx" $ctx "key" $unit.key "of" (dig "lifecycle" "termination_grace_period" dict $pod)) | mustFromJson -}}
nodeSelector:
  {{ $label.node_selector_key }}: {{ $label.node_selector_value | quote }}
{{- if eq $unit.role "component" }}
{{- if ne $unit.kind "DaemonSet" }}
affinity:
  podAntiAffinity:
    {{- include "common.pod.affinity" . | nindent 4 }}
{{- end }}
terminationGracePeriodSeconds: {{ dig "timeout" ($unit.grace | default 60) ($grace | default dict) | int64 }}
{{- end }}
{{- with include "common.context.pick" (dict "ctx" $ctx "key" $unit.key "of" $pod.tolerations) | mustFromJson }}
{{- if .enabled }}
tolerations:
  {{- toYaml .tolerations | nindent 2 }}
{{- end }}
{{- end }}
{{- with include "common.context.pick" (dict "ctx" $ctx "key" $unit.key "of" $pod.priorityClassName) | mustFromJson }}
priorityClassName: {{ . }}
{{- end }}
{{- with include "common.context.pick" (dict "ctx" $ctx "key" $unit.key "of" $pod.runtimeClassName) | mustFromJson }}
runtimeClassName: {{ . }}
{{- end }}
{{- end -}}
