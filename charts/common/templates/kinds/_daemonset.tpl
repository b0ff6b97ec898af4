{{- /* Recreate is AllAtOnce here: every node's pod may be away in the same moment. NodeByNode is kk's: Kubernetes leaves such pods alone. */ -}}
{{- define "common.kinds.daemonset" -}}
{{- if include "common.context.enabled" (dict "ctx" .ctx "key" (printf "daemonset-%s" .unit.key)) -}}
{{- $lifecycle := .ctx.values.pod.lifecycle.upgrades.daemonsets }}
{{- $strategy := $lifecycle.pod_replacement_strategy }}
{{- $annotations := ternary (dict "kk.openstack.org/roll" "node-by-node") dict (eq $strategy "NodeByNode") }}
---
apiVersion: apps/v1
kind: DaemonSet
{{ include "common.context.metadata" (dict "ctx" .ctx "unit" .unit "annotations" $annotations) }}
spec:
  selector:
    matchLabels:
      {{- include "common.context.selector" . | nindent 6 }}
  updateStrategy:
    {{- if has $strategy (list "NodeByNode" "OnDelete") }}
    type: OnDelete
    {{- else }}
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: {{ ternary "100%" (include "common.config.scalar" $lifecycle.rolling_update.max_unavailable) (has $strategy (list "Recreate" "AllAtOnce")) }}
    {{- end }}
  template:
    {{- include "common.kinds.template" . | nindent 4 }}
{{ end -}}
{{- end -}}
