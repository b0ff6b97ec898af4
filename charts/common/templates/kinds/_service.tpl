{{- /* The Service of a component with ports, and a headless one for the members of a StatefulSet. */ -}}
{{- define "common.kinds.service" -}}
{{- $ctx := .ctx -}}
{{- $unit := .unit -}}
{{- $all := include "common.pod.ports.all" . | fromYaml -}}
{{- $ports := $all -}}
{{- if $unit.endpoint -}}
{{- $ports = include "common.pod.ports.endpoint" . | fromYaml -}}
{{- end -}}
{{- if and $ports (include "common.context.enabled" (dict "ctx" $ctx "key" (printf "service-%s" $unit.key))) -}}
{{- $network := include "common.context.pick" (dict "ctx" $ctx "key" $unit.key "of" $ctx.values.network) | mustFromJson }}
{{- $node := dig "node_port" dict ($network | default dict) }}
---
apiVersion: v1
kind: Service
{{ include "common.context.metadata" (dict "ctx" $ctx "name" $unit.name "component" $unit.key) }}
spec:
  type: {{ ternary "NodePort" "ClusterIP" (not (empty $node.enabled)) }}
  selector:
    {{- include "common.context.selector" (dict "ctx" $ctx "component" $unit.key) | nindent 4 }}
    {{- if $unit.primary }}
    kk.openstack.org/primary: "true"
    {{- end }}
  {{- with $unit.sessionAffinity }}
  sessionAffinity: {{ . }}
  {{- end }}
  ports:
    {{- range $name, $port := $ports }}
    - name: {{ $name }}
      port: {{ $port.service }}
      targetPort: {{ $name }}
      {{- if and $node.enabled $node.port (eq $name $unit.main) }}
      nodePort: {{ int64 $node.port }}
      {{- end }}
    {{- end }}
{{ end -}}
{{- if eq $unit.kind "StatefulSet" }}
---
apiVersion: v1
kind: Service
{{ include "common.context.metadata" (dict "ctx" $ctx "name" (printf "%s-peers" $unit.name) "component" $unit.key) }}
spec:
  clusterIP: None
  # Members find each other before they are ready.
  publishNotReadyAddresses: true
  selector:
    {{- include "common.context.selector" (dict "ctx" $ctx "component" $unit.key) | nindent 4 }}
  {{- with $all }}
  ports:
    {{- range $name, $port := . }}
    - {name: {{ $name }}, port: {{ $port.container }}, targetPort: {{ $name }}}
    {{- end }}
  {{- end }}
{{ end -}}
{{- end -}}
