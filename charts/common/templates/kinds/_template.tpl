{{- /*
The pod template of a component. The hash is of what this component mounts and nothing else, so that a change rolls
those pods alone that read it. A file that is `live` is no reason: the pod reads it again while it runs.
*/ -}}
{{- define "common.kinds.template" -}}
{{- $spec := include "common.pod.spec" . -}}
{{- $inputs := append .unit.digest (.unit.config | default "") -}}
{{- range .unit.files -}}
{{- if not (dig . "live" false $.ctx.files) -}}
{{- $inputs = append $inputs (dig . "text" "" $.ctx.files) -}}
{{- end -}}
{{- end -}}
{{- range .unit.scripts -}}
{{- $inputs = append $inputs (get $.ctx.configmaps.bin .) -}}
{{- end -}}
metadata:
  labels:
    {{- include "common.context.selector" . | nindent 4 }}
  annotations:
    kk.openstack.org/config-hash: {{ join "\n" $inputs | sha256sum }}
spec:
  {{- $spec | nindent 2 }}
{{- end -}}
