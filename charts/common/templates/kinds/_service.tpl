{{- /*
The Service of a component with ports, with the user's `network.<component>.service`, and a headless one for
the members of a StatefulSet.
*/ -}}
{{- define "common.kinds.service" -}}
{{- if and .unit.served (not .unit.is_status) (include "common.context.enabled" (dict "ctx" .ctx "key" (printf "service-%s" .unit.key))) -}}
{{- $node := .unit.network.node_port | default dict -}}
{{- $service := .unit.network.service | default dict -}}
{{- $https := dict "traefik.ingress.kubernetes.io/service.serversscheme" "https" "traefik.ingress.kubernetes.io/service.serverstransport" "internal@file" }}
{{- $annotations := ternary $https dict .unit.https }}
{{- include "common.context.merge" (dict "into" $annotations "from" (include "common.context.pick" (dict "ctx" .ctx "key" .unit.key "of" (get (.ctx.values.annotations | default dict) "service")) | mustFromJson)) }}
{{ include "common.context.object" (merge (dict "kind" "v1 Service" "annotations" $annotations) .) }}
spec:
  type: {{ $service.type | default (ternary "NodePort" "ClusterIP" (not (empty $node.enabled))) }}
  {{- with omit $service "type" }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  selector:
    {{- include "common.context.selector" . | nindent 4 }}
    {{- if .unit.primary }}
    kk.openstack.org/primary: "true"
    {{- end }}
  {{- with .unit.sessionAffinity }}
  sessionAffinity: {{ . }}
  {{- end }}
  ports:
    {{- range $name, $port := .unit.served }}
    - name: {{ $name }}
      port: {{ $port.service }}
      targetPort: {{ $name }}
      {{- if hasSuffix "-udp" $name }}
      protocol: UDP
      {{- end }}
      {{- if and $node.enabled $node.port (eq (trimSuffix "-udp" $name) (trimSuffix "-udp" $.unit.main)) }}
      nodePort: {{ int64 $node.port }}
      {{- end }}
    {{- end }}
{{ end -}}
{{- if eq .unit.kind "StatefulSet" }}
{{ include "common.context.object" (merge (dict "kind" "v1 Service" "name" (printf "%s-peers" .unit.name)) .) }}
spec:
  clusterIP: None
  # Members find each other before they are ready.
  publishNotReadyAddresses: true
  selector:
    {{- include "common.context.selector" . | nindent 4 }}
  {{- with .unit.ports }}
  ports:
    {{- range $name, $port := . }}
    - {name: {{ $name }}, port: {{ $port.container }}, targetPort: {{ $name }}{{ if hasSuffix "-udp" $name }}, protocol: UDP{{ end }}}
    {{- end }}
  {{- end }}
{{ end -}}
{{- end -}}
