{{- /* Recreate is AllAtOnce here: every node's pod may be away in the same moment. */ -}}
{{- define "common.kinds.daemonset" -}}
{{- $ctx := .ctx -}}
{{- $unit := .unit -}}
{{- if include "common.context.enabled" (dict "ctx" $ctx "key" (printf "daemonset-%s" $unit.key)) -}}
{{- $lifecycle := $ctx.values.pod.lifecycle.upgrades.daemonsets }}
---
apiVersion: apps/v1
kind: DaemonSet
{{ include "common.context.metadata" (dict "ctx" $ctx "name" $unit.name "component" $unit.key) }}
spec:
  selector:
    matchLabels:
      {{- include "common.context.selector" (dict "ctx" $ctx "component" $unit.key) | nindent 6 }}
  updateStrategy:
    {{- if eq $lifecycle.pod_replacement_strategy "OnDelete" }}
    type: OnDelete
    {{- else }}
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: {{ ternary "100%" (include "common.config.scalar" $lifecycle.rolling_update.max_unavailable) (has $lifecycle.pod_replacement_strategy (list "Recreate" "AllAtOnce")) }}
    {{- end }}
  template:
    {{- include "common.kinds.template" . | nindent 4 }}
{{ end -}}
{{- end -}}
