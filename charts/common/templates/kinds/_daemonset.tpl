{{- /* Recreate is AllAtOnce here: every node's pod may be away in the same moment. NodeByNode is kk's: Kubernetes leaves such pods alone. */ -}}
{{- define "common.kinds.daemonset" -}}
{{- $strategy := .lifecycle.pod_replacement_strategy -}}
updateStrategy:
  {{- if has $strategy (list "NodeByNode" "OnDelete") }}
  type: OnDelete
  {{- else }}
  type: RollingUpdate
  rollingUpdate:
    maxUnavailable: {{ ternary "100%" (include "common.config.scalar" .lifecycle.rolling_update.max_unavailable) (has $strategy (list "Recreate" "AllAtOnce")) }}
  {{- end }}
{{- end -}}
