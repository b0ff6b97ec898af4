{{- /*
Evictions one at a time if there are several pods, or by openstack-helm's
`pod.lifecycle.disruption_budget.<component>.min_available`. A single pod has no budget, because it could
never be evicted. `blocks` is the budget of pods that the component creates, which are never evicted; of a
long name the start is replaced, because its end is a message.
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
{{- with .unit.blocks }}
{{- $isEnabled := true }}
{{- range list (printf "%s-%s" (lower $.unit.kind) $.unit.key) (printf "pdb-%s" $.unit.key) }}
{{- $isEnabled = and $isEnabled (include "common.context.enabled" (dict "ctx" $.ctx "key" .)) }}
{{- end }}
{{- $start := $.ctx.release }}
{{- $room := sub 62 (len .budget) | int }}
{{- if gt (len $start) $room }}
{{- $start = printf "%s-%s" (trunc (sub $room 9 | int) $start | trimSuffix "-") (sha256sum $start | trunc 8) }}
{{- end }}
{{- if $isEnabled }}
{{ include "common.context.object" (merge (dict "kind" "policy/v1 PodDisruptionBudget" "name" (printf "%s-%s" $start .budget)) $) }}
spec:
  maxUnavailable: 0
  selector:
    matchLabels:
      {{- include "common.context.selector" (dict "ctx" $.ctx "unit" (dict "key" .component)) | nindent 6 }}
{{ end -}}
{{- end -}}
{{- end -}}
