{{- define "common.kinds.deployment" -}}
{{- $claim := and .unit.storage (not .ctx.values.storage.ephemeral) (eq .ctx.values.storage.access "ReadWriteOnce") -}}
replicas: {{ .unit.replicas }}
revisionHistoryLimit: {{ int64 .lifecycle.revision_history }}
progressDeadlineSeconds: 900
strategy:
  {{- if or $claim (eq .lifecycle.pod_replacement_strategy "Recreate") }}
  type: Recreate
  {{- else if eq .lifecycle.pod_replacement_strategy "AllAtOnce" }}
  type: RollingUpdate
  rollingUpdate: {maxSurge: 0, maxUnavailable: 100%}
  {{- else }}
  type: RollingUpdate
  rollingUpdate:
    maxSurge: {{ include "common.config.scalar" .lifecycle.rolling_update.max_surge }}
    maxUnavailable: {{ include "common.config.scalar" .lifecycle.rolling_update.max_unavailable }}
  {{- end }}
{{- end -}}
