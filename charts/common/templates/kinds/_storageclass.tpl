{{- /*
A component that is the CSI driver of this name (`driver`): its CSIDriver, which needs no node to attach a
volume, and the `classes` of the chart; null removes one. The parameters of a class are immutable.
*/ -}}
{{- define "common.kinds.storageclass" -}}
{{- if .unit.driver }}
{{ include "common.context.object" (merge (dict "kind" "storage.k8s.io/v1 CSIDriver" "name" .unit.driver) .) }}
spec: {attachRequired: false, podInfoOnMount: false, fsGroupPolicy: File}
{{ range $name, $class := .ctx.root.Values.classes -}}
{{- if $class }}
{{- $annotations := dict "storageclass.kubernetes.io/is-default-class" ($class.default | default false | toString) }}
{{ include "common.context.object" (merge (dict "kind" "storage.k8s.io/v1 StorageClass" "name" $name "annotations" $annotations) $) }}
provisioner: {{ $.unit.driver }}
parameters: {{ $class.parameters | default dict | toJson }}
reclaimPolicy: {{ $class.reclaim | default "Delete" }}
{{ end -}}
{{- end }}{{ end }}{{ end -}}
