{{- /* The init containers of a unit: first the gate, then the wait for a rollout, then its own by name. */ -}}
{{- define "common.pod.init" -}}
{{- $ctx := .ctx -}}
{{- $unit := .unit -}}
{{- include "common.pod.dependencies" . -}}
{{- if $unit.rollout }}
{{ include "common.pod.rollout" . }}
{{- end }}
{{- range $name, $init := $unit.init }}
{{- $env := dict "kolla" $unit.kolla "key" $unit.key "role" $unit.role "files" list "variables" $init.env }}
{{- include "common.pod.env" (dict "ctx" $ctx "unit" $env) }}
{{- $_ := set $unit "digest" (concat $unit.digest $env.digest) }}
- name: {{ $name }}
  image: {{ $unit.reference }}
  imagePullPolicy: {{ $ctx.values.images.pull_policy }}
  command: {{ toJson $init.command }}
  env:
    {{- toYaml $env.env | nindent 4 }}
  resources:
    {{- include "common.pod.resources" (dict "ctx" $ctx "unit" $unit) | nindent 4 }}
  securityContext:
    {{- include "common.pod.security.container" (dict "ctx" $ctx "unit" $unit "kolla" (dig "kolla" $unit.kolla $init)) | nindent 4 }}
  volumeMounts:
    {{- include "common.pod.mounts" (dict "ctx" $ctx "unit" $unit) | trim | nindent 4 }}
{{- end }}
{{- end -}}
