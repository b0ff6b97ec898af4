{{- /* The claim of a component that is no StatefulSet. It outlives the release, as a StatefulSet's claims do. */ -}}
{{- define "common.kinds.pvc" -}}
{{- $unit := .unit -}}
{{- $wanted := and $unit.storage (not .ctx.values.storage.ephemeral) (ne $unit.kind "StatefulSet") -}}
{{- if and $wanted (include "common.context.enabled" (dict "ctx" .ctx "key" (printf "pvc-%s" $unit.key))) }}
---
apiVersion: v1
kind: PersistentVolumeClaim
{{ include "common.context.metadata" (dict "ctx" .ctx "name" $unit.name "component" $unit.key "annotations" (dict "helm.sh/resource-policy" "keep")) }}
spec:
  {{- include "common.kinds.claim" . | nindent 2 }}
{{ end -}}
{{- end -}}
