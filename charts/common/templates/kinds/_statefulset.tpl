{{- define "common.kinds.statefulset" -}}
replicas: {{ .unit.replicas }}
serviceName: {{ .unit.name }}-peers
podManagementPolicy: {{ .unit.management | default "OrderedReady" }}
updateStrategy:
  type: {{ ternary "OnDelete" "RollingUpdate" (eq .lifecycle.pod_replacement_strategy "OnDelete") }}
{{- if and .unit.storage (not .ctx.values.storage.ephemeral) }}
volumeClaimTemplates:
  - apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: data
      labels:
        {{- include "common.context.selector" . | nindent 8 }}
    spec:
      {{- include "common.kinds.pvc.spec" . | nindent 6 }}
{{- end }}
{{- end -}}
