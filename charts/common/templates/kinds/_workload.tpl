{{- /*
A component: what a Deployment, StatefulSet and DaemonSet have in common, around the fields of each. The hash
covers only what this component mounts, so that a change replaces only the pods that read it. A `live` file is
not covered: the pod reloads it while it runs.
*/ -}}
{{- define "common.kinds.workload" -}}
{{- $kind := lower .unit.kind -}}
{{- if include "common.context.enabled" (dict "ctx" .ctx "key" (printf "%s-%s" $kind .unit.key)) -}}
{{- $lifecycle := get .ctx.values.pod.lifecycle.upgrades (printf "%ss" $kind) -}}
{{- $annotations := ternary (dict "kk.openstack.org/roll" "node-by-node") dict (eq $lifecycle.pod_replacement_strategy "NodeByNode") -}}
{{- if .unit.is_status }}{{ $_ := set $annotations "kk.openstack.org/service-status" "true" }}{{ end -}}
{{- range $who, $what := .unit.noticed }}{{ $_ := set $annotations (printf "kk.openstack.org/%s-notice" $who) $what }}{{ end -}}
{{- $spec := include "common.pod.spec" . -}}
{{- $inputs := append .unit.digest (.unit.config | default "") -}}
{{- range .unit.files -}}
{{- if not (dig . "live" false $.ctx.files) -}}
{{- $inputs = append $inputs (dig . "text" "" $.ctx.files) -}}
{{- end -}}
{{- end -}}
{{- range concat (compact (list .unit.script)) (.unit.scripts | default list) -}}
{{- $inputs = append $inputs (get $.ctx.configmaps.bin .) -}}
{{- end }}
{{ include "common.context.object" (merge (dict "kind" (printf "apps/v1 %s" .unit.kind) "annotations" $annotations) .) }}
spec:
  selector:
    matchLabels:
      {{- include "common.context.selector" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "common.context.selector" . | nindent 8 }}
      annotations:
        kk.openstack.org/config-hash: {{ join "\n" $inputs | sha256sum }}
        {{- with .unit.stable_after }}
        kk.openstack.org/stable-after: {{ . }}
        {{- end }}
        {{- with .unit.settings.annotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      {{- $spec | nindent 6 }}
  {{- include (printf "common.kinds.%s" $kind) (merge (dict "lifecycle" $lifecycle) .) | nindent 2 }}
{{ end -}}
{{- end -}}
