{{- /*
The main container of a unit: the command that kolla_start executes, or a script of the release, run by the
interpreter of its extension. On termination, a component with clients keeps serving for some seconds
(`drain`), until every node sends new ones to another pod; the component's own `lifecycle` overrides this.
*/ -}}
{{- define "common.pod.container" -}}
- name: {{ .unit.key }}
  image: {{ .unit.reference }}
  imagePullPolicy: {{ .ctx.values.images.pull_policy }}
  {{- if .unit.kolla }}
  command: [dumb-init, --single-child, --, kolla_start]
  {{- else }}
  {{- $interpreter := ternary "python3" "bash" (hasSuffix ".py" .unit.script) }}
  command: {{ concat (list $interpreter (printf "/scripts/%s" .unit.script)) (.unit.args | default list) | toJson }}
  {{- end }}
  env:
    {{- toYaml .unit.env | nindent 4 }}
  {{- if eq .unit.role "component" }}
  {{- with .unit.ports }}
  ports:
    {{- range $name, $port := . }}
    - {name: {{ $name }}, containerPort: {{ $port.container }}{{ if hasSuffix "-udp" $name }}, protocol: UDP{{ end }}}
    {{- end }}
  {{- end }}
  {{- with include "common.pod.probes" . | trim }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- $lifecycle := dict }}
  {{- with dig "drain" (ternary 0 5 (empty .unit.endpoint)) .unit | int }}
  {{- $_ := set $lifecycle "preStop" (dict "exec" (dict "command" (list "sleep" (toString .)))) }}
  {{- end }}
  {{- include "common.context.merge" (dict "into" $lifecycle "from" .unit.lifecycle) }}
  {{- with $lifecycle }}
  lifecycle:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
  resources:
    {{- include "common.pod.resources" . | nindent 4 }}
  securityContext:
    {{- include "common.pod.security.container" (dict "ctx" .ctx "unit" .unit "kolla" .unit.kolla) | nindent 4 }}
  {{- if dig "device" false (.unit.storage | default dict) }}
  volumeDevices: [{name: data, devicePath: {{ .unit.storage.path }}}]
  {{- end }}
  volumeMounts:
    {{- include "common.pod.mounts" . | trim | nindent 4 }}
{{- end -}}

{{- /* `pod.resources.<component>` or `pod.resources.jobs.<job>`, over the facts; none with `pod.resources.enabled: false`. */ -}}
{{- define "common.pod.resources" -}}
{{- $resources := .ctx.values.pod.resources -}}
{{- $all := dict -}}
{{- if $resources.enabled -}}
{{- $of := ternary $resources $resources.jobs (eq .unit.role "component") -}}
{{- include "common.context.merge" (dict "into" $all "from" (.unit.resources | default (dict "requests" (dict "cpu" "20m" "memory" "64Mi")))) -}}
{{- include "common.context.merge" (dict "into" $all "from" (include "common.context.pick" (dict "ctx" .ctx "key" .unit.key "of" $of) | mustFromJson)) -}}
{{- end -}}
{{- toYaml $all -}}
{{- end -}}
