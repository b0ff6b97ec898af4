{{- define "common.kinds.statefulset" -}}
{{- if include "common.context.enabled" (dict "ctx" .ctx "key" (printf "statefulset-%s" .unit.key)) }}
---
apiVersion: apps/v1
kind: StatefulSet
{{ include "common.context.metadata" . }}
spec:
  replicas: {{ .unit.replicas }}
  serviceName: {{ .unit.name }}-peers
  podManagementPolicy: {{ .unit.management | default "OrderedReady" }}
  selector:
    matchLabels:
      {{- include "common.context.selector" . | nindent 6 }}
  updateStrategy:
    type: {{ ternary "OnDelete" "RollingUpdate" (eq .ctx.values.pod.lifecycle.upgrades.statefulsets.pod_replacement_strategy "OnDelete") }}
  template:
    {{- include "common.kinds.template" . | nindent 4 }}
  {{- if and .unit.storage (not .ctx.values.storage.ephemeral) }}
  volumeClaimTemplates:
    - apiVersion: v1
      kind: PersistentVolumeClaim
      metadata:
        name: data
        labels:
          {{- include "common.context.selector" . | nindent 10 }}
      spec:
        {{- include "common.kinds.pvc.spec" . | nindent 8 }}
  {{- end }}
{{ end -}}
{{- end -}}
