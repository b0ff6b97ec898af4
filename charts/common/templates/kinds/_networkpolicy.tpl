{{- /*
The clients of a component, if `manifests.network_policy` is true, also below `global`: its members, and the
pods of the namespace, those on the networks of nodes in `network_policy.nodes`, or any client if it has a
port on the nodes or an ingress. So may any client of a Service with a port or an address outside. Ports for
Prometheus (`metrics`, `prometheus`) are open to the pods of the namespace. `callers`
may reach what members may; with `any_port` clients may reach all ports that are not known in advance.
`network_policy.<component>.ingress` (openstack-helm's key) replaces these rules. The kubelet of its node
always has access.
*/ -}}
{{- define "common.kinds.networkpolicy" -}}
{{- $values := .ctx.root.Values -}}
{{- $all := dig "network_policy" false (($values.global | default dict).manifests | default dict) -}}
{{- if eq (toString (dig "network_policy" $all ($values.manifests | default dict))) "true" -}}
{{- $policy := include "common.context.pick" (dict "ctx" .ctx "key" .unit.key "of" .ctx.values.network_policy) | mustFromJson | default dict -}}
{{- $members := list -}}
{{- range prepend (.unit.callers | default list) .unit.key -}}
{{- $selector := include "common.context.selector" (dict "ctx" $.ctx "unit" (dict "key" .)) | fromYaml -}}
{{- $members = append $members (dict "podSelector" (dict "matchLabels" $selector)) -}}
{{- end -}}
{{- $ingress := list -}}
{{- if or .unit.served .unit.any_port -}}
{{- $served := ternary dict .unit.served (.unit.any_port | default false) -}}
{{- $rule := dict "ports" (include "common.kinds.networkpolicy.ports" $served | fromYamlArray) -}}
{{- $service := .unit.network.service | default dict -}}
{{- $isOutside := or $service.externalIPs (has $service.type (list "LoadBalancer" "NodePort")) -}}
{{- if not (or (hasKey $policy "ingress") $isOutside (dig "node_port" "enabled" false .unit.network) (dig "ingress" "enabled" false .unit.network)) -}}
{{- $_ := set $rule "from" (list (dict "podSelector" dict)) -}}
{{- range required "manifests.network_policy: say in global.network_policy.nodes on which networks the nodes are, for nova-compute and others have their node's: [192.0.2.0/24], or [] to keep them out" (.ctx.values.network_policy | default dict).nodes -}}
{{- $_ := set $rule "from" (append $rule.from (dict "ipBlock" (dict "cidr" .))) -}}
{{- end -}}
{{- end -}}
{{- $ingress = append $ingress $rule -}}
{{- end -}}
{{- range $name, $port := pick .unit.ports "metrics" "prometheus" -}}
{{- if not (hasKey $.unit.served $name) -}}
{{- $ingress = append $ingress (dict "from" (list (dict "podSelector" dict)) "ports" (include "common.kinds.networkpolicy.ports" (dict $name $port) | fromYamlArray)) -}}
{{- end -}}
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
