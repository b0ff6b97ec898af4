{{- /* The volumes of a unit; a volume of its facts is one of {secret, configMap, host, empty} with a path. */ -}}
{{- define "common.pod.volumes" -}}
{{- $ctx := .ctx -}}
{{- $unit := .unit -}}
{{- if $unit.kolla }}
{{ include "common.pod.volumes.config" . }}
- {name: logs, emptyDir: {}}
{{- else }}
- {name: tmp, emptyDir: {}}
{{- end }}
{{- if or $unit.script $unit.scripts $unit.rollout }}
- {name: scripts, configMap: {name: {{ include "common.context.name" (dict "ctx" $ctx "key" "bin") }}}}
{{- end }}
{{- if or $unit.rbac $unit.rollout (and $ctx.values.dependencies.enabled (or $unit.services $unit.waits)) }}
{{ include "common.pod.volumes.token" . }}
{{- end }}
{{- include "common.pod.volumes.data" . }}
{{- range $name, $volume := $unit.volumes }}
{{- if $volume }}
- name: {{ $name }}
  {{- if $volume.secret }}
  secret: {secretName: {{ include "common.context.name" (dict "ctx" $ctx "key" $volume.secret) }}, defaultMode: {{ $volume.mode | default 288 | int64 }}}
  {{- else if $volume.host }}
  hostPath: {path: {{ $volume.host }}}
  {{- else }}
  emptyDir: {{ $volume.empty | default dict | toJson }}
  {{- end }}
{{- end }}
{{- end }}
{{- $user := include "common.context.pick" (dict "ctx" $ctx "key" $unit.key "of" $ctx.values.pod.mounts) | mustFromJson }}
{{- with dig "volumes" list ($user | default dict) }}
{{ toYaml . }}
{{- end }}
{{- end -}}
