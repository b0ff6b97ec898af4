{{- /*
Recreate means AllAtOnce here: the pods of all nodes may be down at the same time. NodeByNode is a strategy of
kk's: Kubernetes does not replace such pods.
*/ -}}
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
