{{- /*
The claim of a component that is not a StatefulSet. It outlives the release, as a StatefulSet's claims do.
*/ -}}
{{- define "common.kinds.pvc" -}}
{{- $wanted := and .unit.storage (not .ctx.values.storage.ephemeral) (ne .unit.kind "StatefulSet") -}}
{{- if and $wanted (include "common.context.enabled" (dict "ctx" .ctx "key" (printf "pvc-%s" .unit.key))) }}
{{ include "common.context.object" (merge (dict "kind" "v1 PersistentVolumeClaim" "annotations" (dict "helm.sh/resource-policy" "keep")) .) }}
spec:
  {{- include "common.kinds.pvc.spec" . | nindent 2 }}
{{ end -}}
{{- end -}}

{{- /* The spec of a claim, also of a StatefulSet's: the user's class, size and access, over the size of the facts. */ -}}
{{- define "common.kinds.pvc.spec" -}}
{{- $storage := .ctx.values.storage -}}
accessModes: [{{ ternary "ReadWriteOnce" $storage.access (eq .unit.kind "StatefulSet") }}]
{{- with $storage.class }}
storageClassName: {{ . }}
{{- end }}
{{- if .unit.storage.device }}
volumeMode: Block
{{- end }}
resources:
  requests:
    storage: {{ $storage.size | default .unit.storage.size }}
{{- end -}}
