{{- /* The main container of a unit. */ -}}
{{- define "common.pod.container" -}}
{{- $ctx := .ctx -}}
{{- $unit := .unit -}}
- name: {{ $unit.key }}
  image: {{ $unit.reference }}
  imagePullPolicy: {{ $ctx.values.images.pull_policy }}
  {{- if $unit.kolla }}
  command: [dumb-init, --single-child, --, kolla_start]
  {{- else }}
  command: {{ concat (include "common.pod.interpreter" $unit.script | splitList " ") ($unit.args | default list) | toJson }}
  {{- end }}
  env:
    {{- toYaml $unit.env | nindent 4 }}
  {{- if eq $unit.role "component" }}
  {{- with include "common.pod.ports" . | trim }}
  ports:
    {{- . | nindent 4 }}
  {{- end }}
  {{- with include "common.pod.probes" . | trim }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- with include "common.pod.lifecycle" . | trim }}
  lifecycle:
    {{- . | nindent 4 }}
  {{- end }}
  {{- end }}
  resources:
    {{- include "common.pod.resources" . | nindent 4 }}
  securityContext:
    {{- include "common.pod.security.container" (dict "ctx" $ctx "unit" $unit "kolla" $unit.kolla) | nindent 4 }}
  {{- if dig "device" false ($unit.storage | default dict) }}
  volumeDevices: [{name: data, devicePath: {{ $unit.storage.path }}}]
  {{- end }}
  {{- with include "common.pod.mounts" . | trim }}
  volumeMounts:
    {{- . | nindent 4 }}
  {{- end }}
{{- end -}}
