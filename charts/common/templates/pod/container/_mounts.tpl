{{- /* Where the main container sees the volumes of common.pod.volumes. */ -}}
{{- define "common.pod.mounts" -}}
{{- $unit := .unit -}}
{{- if $unit.kolla }}
- {name: config, mountPath: /var/lib/kolla/config_files, readOnly: true}
- {name: logs, mountPath: /var/log/kolla}
{{- else }}
- {name: tmp, mountPath: /tmp}
{{- end }}
{{- if or $unit.script $unit.scripts }}
- {name: scripts, mountPath: /scripts, readOnly: true}
{{- end }}
{{- if $unit.rbac }}
- {name: token, mountPath: /var/run/secrets/kubernetes.io/serviceaccount, readOnly: true}
{{- end }}
{{- if and $unit.storage (not $unit.storage.device) }}
- {name: data, mountPath: {{ $unit.storage.path }}}
{{- end }}
{{- range $name, $volume := $unit.volumes }}
{{- if $volume }}
- name: {{ $name }}
  mountPath: {{ $volume.path }}
  {{- with $volume.readOnly }}
  readOnly: {{ . }}
  {{- end }}
  {{- with $volume.propagation }}
  mountPropagation: {{ . }}
  {{- end }}
{{- end }}
{{- end }}
{{- $user := include "common.context.pick" (dict "ctx" .ctx "key" $unit.key "of" .ctx.values.pod.mounts) | mustFromJson }}
{{- with dig "volumeMounts" list ($user | default dict) }}
{{ toYaml . }}
{{- end }}
{{- end -}}
