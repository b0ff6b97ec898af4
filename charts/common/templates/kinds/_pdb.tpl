{{- /* Evictions one at a time, or as openstack-helm's `pod.lifecycle.disruption_budget.<component>.min_available` has it. */ -}}
{{- define "common.kinds.pdb" -}}
{{- $unit := .unit -}}
{{- if and (ne $unit.kind "DaemonSet") (include "common.context.enabled" (dict "ctx" .ctx "key" (printf "pdb-%s" $unit.key))) -}}
{{- $budget := include "common.context.pick" (dict "ctx" .ctx "key" $unit.key "of" .ctx.values.pod.lifecycle.disruption_budget) | mustFromJson }}
{{- $least := dig "min_available" "" ($budget | default dict) }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
{{ include "common.context.metadata" (dict "ctx" .ctx "name" $unit.name "component" $unit.key) }}
spec:
  {{- if kindIs "string" $least }}
  maxUnavailable: 1
  {{- else }}
  minAvailable: {{ int64 $least }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "common.context.selector" (dict "ctx" .ctx "component" $unit.key) | nindent 6 }}
{{ end -}}
{{- end -}}
