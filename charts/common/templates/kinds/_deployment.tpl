{{- define "common.kinds.deployment" -}}
{{- $claim := and .unit.storage (not .ctx.values.storage.ephemeral) (eq .ctx.values.storage.access "ReadWriteOnce") -}}
replicas: {{ .unit.replicas }}
revisionHistoryLimit: {{ int64 .lifecycle.revision_history }}
{{- /* The status of a service may become healthy at any time; for Kubernetes the greatest number is no deadline. */}}
progressDeadlineSeconds: {{ ternary 2147483647 900 (.unit.is_status | default false) }}
strategy:
  {{- if or $claim (eq .lifecycle.pod_replacement_strategy "Recreate") }}
  type: Recreate
  {{- else }}
  {{- $rolling := ternary (dict "max_surge" 0 "max_unavailable" "100%") .lifecycle.rolling_update (eq .lifecycle.pod_replacement_strategy "AllAtOnce") }}
  type: RollingUpdate
  rollingUpdate: {maxSurge: {{ toJson $rolling.max_surge }}, maxUnavailable: {{ toJson $rolling.max_unavailable }}}
  {{- end }}
{{- end -}}
