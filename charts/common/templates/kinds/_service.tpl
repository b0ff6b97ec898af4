{{- /* The Service of a component with ports, and a headless one for the members of a StatefulSet. */ -}}
{{- define "common.kinds.service" -}}
{{- if and .unit.served (include "common.context.enabled" (dict "ctx" .ctx "key" (printf "service-%s" .unit.key))) -}}
{{- $node := .unit.network.node_port | default dict -}}
{{- $https := dict "traefik.ingress.kubernetes.io/service.serversscheme" "https" "traefik.ingress.kubernetes.io/service.serverstransport" "internal@file" }}
{{ include "common.context.object" (merge (dict "kind" "v1 Service" "annotations" (ternary $https dict .unit.https)) .) }}
spec:
  type: {{ ternary "NodePort" "ClusterIP" (not (empty $node.enabled)) }}
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
