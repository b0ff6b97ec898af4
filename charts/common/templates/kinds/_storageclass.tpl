{{- /*
A component that orders volumes for Kubernetes, as the `driver` (CSI) of this name: the driver, which no node has to attach a volume
for, and the `classes` of the chart, of which null takes one away. What a class says of its volumes can not be changed.
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
