{{- /*
Who may reach a component, where `manifests.network_policy` is true: its members each other, and its clients, who are the
pods of the namespace, or everybody where it has a port on the nodes or an ingress; `callers` may what members may. `network_policy.<component>.ingress`
(openstack-helm's place) is said instead of that. A node's kubelet always may.
*/ -}}
{{- define "common.kinds.networkpolicy" -}}
{{- if eq (toString (dig "network_policy" false (.ctx.root.Values.manifests | default dict))) "true" -}}
{{- $policy := include "common.context.pick" (dict "ctx" .ctx "key" .unit.key "of" .ctx.values.network_policy) | mustFromJson | default dict -}}
{{- $members := list -}}
{{- range prepend (.unit.callers | default list) .unit.key -}}
{{- $selector := include "common.context.selector" (dict "ctx" $.ctx "unit" (dict "key" .)) | fromYaml -}}
{{- $members = append $members (dict "podSelector" (dict "matchLabels" $selector)) -}}
{{- end -}}
{{- $isOpen := or (dig "node_port" "enabled" false .unit.network) (dig "ingress" "enabled" false .unit.network) -}}
{{- $clients := ternary (dict "from" (list (dict "podSelector" dict))) dict (empty $isOpen) -}}
{{- $ingress := list -}}
{{- with .unit.served -}}
{{- $ingress = append $ingress (merge (dict "ports" (include "common.kinds.networkpolicy.ports" . | fromYamlArray)) $clients) -}}
{{- end -}}
{{- if and .unit.ports (eq .unit.kind "StatefulSet") -}}
{{- $ingress = append $ingress (dict "from" $members "ports" (include "common.kinds.networkpolicy.ports" .unit.ports | fromYamlArray)) -}}
{{- end }}
{{ include "common.context.object" (merge (dict "kind" "networking.k8s.io/v1 NetworkPolicy") .) }}
spec:
  podSelector:
    matchLabels:
      {{- include "common.context.selector" . | nindent 6 }}
  policyTypes: [Ingress]
  ingress:
    {{- ternary $policy.ingress $ingress (hasKey $policy "ingress") | toYaml | nindent 4 }}
{{ end -}}
{{- end -}}

{{- define "common.kinds.networkpolicy.ports" -}}
{{- range $name, $_ := . }}
- {protocol: {{ ternary "UDP" "TCP" (hasSuffix "-udp" $name) }}, port: {{ $name }}}
{{- end }}
{{- end -}}
