{{- /*
The claim for the dumps of all releases, if `dumps` states its size; in the release of the database. It
outlives the release.
*/ -}}
{{- define "common.kinds.dumps" -}}
{{- $claim := .values.dumps.claim -}}
{{- if and $claim .values.dumps.size (hasKey (.root.Values.serves | default dict) "oslo_db") }}
{{ include "common.context.object" (dict "kind" "v1 PersistentVolumeClaim" "ctx" . "name" $claim "annotations" (dict "helm.sh/resource-policy" "keep")) }}
spec:
  {{- $unit := dict "storage" (dict "size" .values.dumps.size) }}
  {{- include "common.kinds.pvc.spec" (dict "ctx" . "unit" $unit) | nindent 2 }}
{{ end -}}
{{- end -}}
