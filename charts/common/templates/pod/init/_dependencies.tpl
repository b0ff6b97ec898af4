{{- /*
The gate: an init container that ends when services have endpoints and jobs are done (kubernetes-entrypoint's
DEPENDENCY_* contract). Only this container gets the token of the service account. `dependencies.enabled: false`
leaves it out.
*/ -}}
{{- define "common.pod.dependencies" -}}
{{- $unit := .unit -}}
{{- if and .ctx.values.dependencies.enabled (or $unit.services $unit.waits) -}}
- name: dependencies
  image: {{ include "common.context.image" (dict "ctx" .ctx "key" "dep_check" "name" "kubernetes-entrypoint") }}
  imagePullPolicy: {{ .ctx.values.images.pull_policy }}
  command: [kubernetes-entrypoint]
  env:
    - name: POD_NAME
      valueFrom: {fieldRef: {fieldPath: metadata.name}}
    - name: NAMESPACE
      valueFrom: {fieldRef: {fieldPath: metadata.namespace}}
    - name: INTERFACE_NAME
      value: eth0
    - name: COMMAND
      value: echo done
    {{- with $unit.services }}
    - name: DEPENDENCY_SERVICE
      value: {{ join "," . | quote }}
    {{- end }}
    {{- with $unit.waits }}
    - name: DEPENDENCY_JOBS
      value: {{ join "," . | quote }}
    {{- end }}
  resources:
    requests: {cpu: 10m, memory: 16Mi}
  securityContext:
    {{- include "common.pod.security.strict" . | nindent 4 }}
  volumeMounts:
    - {name: token, mountPath: /var/run/secrets/kubernetes.io/serviceaccount, readOnly: true}
{{- end -}}
{{- end -}}
