{{- /* Waits until the named workloads of the release run nothing but their newest pods: for what may only come after. */ -}}
{{- define "common.pod.rollout" -}}
- name: rollout
  image: {{ .unit.reference }}
  imagePullPolicy: {{ .ctx.values.images.pull_policy }}
  command: {{ concat (list "python3" "/scripts/rollout.py") .unit.workloads | toJson }}
  env:
    - name: POD_NAMESPACE
      valueFrom: {fieldRef: {fieldPath: metadata.namespace}}
  resources:
    requests: {cpu: 10m, memory: 32Mi}
  securityContext:
    {{- include "common.pod.security.strict" . | nindent 4 }}
  volumeMounts:
    - {name: scripts, mountPath: /scripts, readOnly: true}
    - {name: token, mountPath: /var/run/secrets/kubernetes.io/serviceaccount, readOnly: true}
{{- end -}}
