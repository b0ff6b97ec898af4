{{- define "common.kinds.deployment" -}}
{{- if include "common.context.enabled" (dict "ctx" .ctx "key" (printf "deployment-%s" .unit.key)) -}}
{{- $lifecycle := .ctx.values.pod.lifecycle.upgrades.deployments -}}
{{- $claim := and .unit.storage (not .ctx.values.storage.ephemeral) (eq .ctx.values.storage.access "ReadWriteOnce") }}
---
apiVersion: apps/v1
kind: Deployment
{{ include "common.context.metadata" . }}
spec:
  replicas: {{ .unit.replicas }}
  revisionHistoryLimit: {{ int64 $lifecycle.revision_history }}
  progressDeadlineSeconds: 900
  selector:
    matchLabels:
      {{- include "common.context.selector" . | nindent 6 }}
  strategy:
    {{- if or $claim (eq $lifecycle.pod_replacement_strategy "Recreate") }}
    type: Recreate
    {{- else if eq $lifecycle.pod_replacement_strategy "AllAtOnce" }}
    type: RollingUpdate
    rollingUpdate: {maxSurge: 0, maxUnavailable: 100%}
    {{- else }}
    type: RollingUpdate
    rollingUpdate:
      maxSurge: {{ include "common.config.scalar" $lifecycle.rolling_update.max_surge }}
      maxUnavailable: {{ include "common.config.scalar" $lifecycle.rolling_update.max_unavailable }}
    {{- end }}
  template:
    {{- include "common.kinds.template" . | nindent 4 }}
{{ end -}}
{{- end -}}
