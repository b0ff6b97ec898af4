{{- /*
The pod template of a component. The hash is of what this component mounts and nothing else, so that a change rolls
those pods alone that read it. A file that is `live` is no reason: the pod reads it again while it runs.
*/ -}}
{{- define "common.kinds.template" -}}
{{- $ctx := .ctx -}}
{{- $unit := .unit -}}
{{- $spec := include "common.pod.spec" . -}}
{{- $inputs := $unit.digest -}}
{{- $config := get $ctx.configs (printf "%s.json" $unit.key) | default "" -}}
{{- $inputs = append $inputs $config -}}
{{- range $key := $unit.files -}}
{{- if not (dig $key "live" false $ctx.files) -}}
{{- $inputs = append $inputs (dig $key "text" "" $ctx.files) -}}
{{- end -}}
{{- end -}}
{{- range $name := $unit.scripts -}}
{{- $inputs = append $inputs (get $ctx.scripts $name) -}}
{{- end -}}
metadata:
  labels:
    {{- include "common.context.selector" (dict "ctx" $ctx "component" $unit.key) | nindent 4 }}
  annotations:
    kk.openstack.org/config-hash: {{ join "\n" $inputs | sha256sum }}
spec:
  {{- $spec | nindent 2 }}
{{- end -}}
