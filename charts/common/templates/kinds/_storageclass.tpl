{{- /*
A component that orders volumes for Kubernetes, as the `driver` (CSI) of this name: the driver, which no node has to attach a volume
for, and the `classes` of the chart, of which null takes one away. What a class says of its volumes can not be changed.
*/ -}}
{{- define "common.kinds.storageclass" -}}
{{- if .unit.driver }}
---
apiVersion: storage.k8s.io/v1
kind: CSIDriver
{{ include "common.context.metadata" (dict "ctx" .ctx "unit" .unit "kind" "CSIDriver" "name" .unit.driver) }}
spec: {attachRequired: false, podInfoOnMount: false, fsGroupPolicy: File}
{{ range $name, $class := .ctx.root.Values.classes -}}
{{- if $class }}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
{{- $annotations := dict "storageclass.kubernetes.io/is-default-class" ($class.default | default false | toString) }}
{{ include "common.context.metadata" (dict "ctx" $.ctx "unit" $.unit "kind" "StorageClass" "name" $name "annotations" $annotations) }}
provisioner: {{ $.unit.driver }}
parameters: {{ $class.parameters | default dict | toJson }}
reclaimPolicy: {{ $class.reclaim | default "Delete" }}
{{ end -}}
{{- end -}}
{{- end -}}
{{- end -}}
