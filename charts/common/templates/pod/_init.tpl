{{- /*
The init containers of a unit: first the gate, which ends when services have endpoints and jobs are done
(kubernetes-entrypoint's DEPENDENCY_* contract); `dependencies.enabled: false` omits it. Then the wait until
the workloads in `rollout` run nothing but their newest pods. Then the dump before the first migration, then
its own by name; a `sidecar` among them keeps running next to the main container. In a unit without `rbac`,
only the first two get the token of its account.
*/ -}}
{{- define "common.pod.init" -}}
{{- if and .ctx.values.dependencies.enabled (or .unit.services .unit.waits) }}
- name: dependencies
  image: {{ include "common.context.image" (dict "ctx" .ctx "key" "dep_check" "name" "kk" "tag" "2025.1-debian-trixie") }}
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
    {{- with .unit.services }}
    - name: DEPENDENCY_SERVICE
      value: {{ join "," . | quote }}
    {{- end }}
    {{- with .unit.waits }}
    - name: DEPENDENCY_JOBS
      value: {{ join "," . | quote }}
    {{- end }}
  {{- include "common.pod.init.watcher" (dict "ctx" .ctx "memory" "16Mi") | nindent 2 }}
{{- end }}
{{- with .unit.workloads }}
- name: rollout
  image: {{ $.unit.reference }}
  imagePullPolicy: {{ $.ctx.values.images.pull_policy }}
  command: {{ concat (list "python3" "/scripts/rollout.py") . | toJson }}
  env:
    - name: POD_NAMESPACE
      valueFrom: {fieldRef: {fieldPath: metadata.namespace}}
  {{- include "common.pod.init.watcher" (dict "ctx" $.ctx "memory" "32Mi" "scripts" true) | nindent 2 }}
{{- end }}
{{- if eq (.unit.dumps | default "") "save" }}
{{ include "common.jobs.dump" . }}
{{- end }}
{{- range $name, $init := .unit.init }}
{{- $own := dict "kolla" $.unit.kolla "key" $.unit.key "role" $.unit.role "settings" $.unit.settings "variables" $init.env }}
{{- include "common.pod.env" (dict "ctx" $.ctx "unit" $own) }}
{{- $_ := set $.unit "digest" (concat $.unit.digest $own.digest) }}
- name: {{ $name }}
  image: {{ $.unit.reference }}
  imagePullPolicy: {{ $.ctx.values.images.pull_policy }}
  command: {{ toJson $init.command }}
  {{- if $init.sidecar }}
  restartPolicy: Always
  {{- end }}
  env:
    {{- toYaml $own.env | nindent 4 }}
  resources:
    {{- include "common.pod.resources" $ | nindent 4 }}
  securityContext:
    {{- include "common.pod.security.container" (dict "ctx" $.ctx "unit" $.unit "kolla" (dig "kolla" $.unit.kolla $init)) | nindent 4 }}
  volumeMounts:
    {{- include "common.pod.mounts" $ | trim | nindent 4 }}
{{- end }}
{{- end -}}

{{- /*
The settings of init containers that only read from Kubernetes, and do not depend on their image's user.
*/ -}}
{{- define "common.pod.init.watcher" -}}
{{- if .ctx.values.pod.resources.enabled }}
resources:
  requests: {cpu: 10m, memory: {{ .memory }}}
{{- end }}
securityContext:
  allowPrivilegeEscalation: false
  capabilities: {drop: [ALL]}
  readOnlyRootFilesystem: true
  runAsNonRoot: true
  runAsUser: 65534
volumeMounts:
  {{- with .scripts }}
  - {name: scripts, mountPath: /scripts, readOnly: true}
  {{- end }}
  - {name: token, mountPath: /var/run/secrets/kubernetes.io/serviceaccount, readOnly: true}
{{- end -}}
