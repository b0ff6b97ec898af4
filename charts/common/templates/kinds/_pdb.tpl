{{- /*
Evictions one at a time if there are several pods, or by openstack-helm's
`pod.lifecycle.disruption_budget.<component>.min_available`. A single pod has no budget, because it could
never be evicted.
*/ -}}
{{- define "common.kinds.pdb" -}}
{{- $budget := include "common.context.pick" (dict "ctx" .ctx "key" .unit.key "of" .ctx.values.pod.lifecycle.disruption_budget) | mustFromJson -}}
{{- $least := dig "min_available" "" ($budget | default dict) -}}
{{- $wanted := and (ne .unit.kind "DaemonSet") (or (gt .unit.replicas 1) (not (kindIs "string" $least))) -}}
{{- if and $wanted (include "common.context.enabled" (dict "ctx" .ctx "key" (printf "pdb-%s" .unit.key))) }}
{{ include "common.context.object" (merge (dict "kind" "policy/v1 PodDisruptionBudget") .) }}
spec:
  {{ ternary "maxUnavailable: 1" (int64 $least | printf "minAvailable: %d") (kindIs "string" $least) }}
  selector:
    matchLabels:
      {{- include "common.context.selector" . | nindent 6 }}
{{ end -}}
{{- end -}}
