{{- /*
Who may reach a component, where `manifests.network_policy` is true: its members each other, and its clients, who are the
pods of the namespace, or everybody where it has a port on the nodes or an ingress. `network_policy.<component>.ingress`
(openstack-helm's place) is said instead of that. A node's kubelet always may.
*/ -}}
{{- define "common.kinds.networkpolicy" -}}
{{- $ctx := .ctx -}}
{{- $unit := .unit -}}
{{- if eq (toString (dig "network_policy" false ($ctx.root.Values.manifests | default dict))) "true" -}}
{{- $network := include "common.context.pick" (dict "ctx" $ctx "key" $unit.key "of" $ctx.values.network) | mustFromJson | default dict -}}
{{- $policy := include "common.context.pick" (dict "ctx" $ctx "key" $unit.key "of" $ctx.values.network_policy) | mustFromJson | default dict -}}
{{- $all := include "common.pod.ports.all" . | fromYaml -}}
{{- $served := ternary (include "common.pod.ports.endpoint" . | fromYaml) $all (not (empty $unit.endpoint)) -}}
{{- $clients := list (dict "podSelector" dict) -}}
{{- $members := list (dict "podSelector" (dict "matchLabels" (include "common.context.selector" (dict "ctx" $ctx "component" $unit.key) | fromYaml))) -}}
{{- $ingress := list -}}
{{- with $served -}}
{{- $rule := dict "ports" (include "common.kinds.networkpolicy.ports" . | fromYamlArray) -}}
{{- if not (or (dig "node_port" "enabled" false $network) (dig "ingress" "enabled" false $network)) -}}
{{- $_ := set $rule "from" $clients -}}
{{- end -}}
{{- $ingress = append $ingress $rule -}}
{{- end -}}
{{- if and $all (eq $unit.kind "StatefulSet") -}}
{{- $ingress = append $ingress (dict "from" $members "ports" (include "common.kinds.networkpolicy.ports" $all | fromYamlArray)) -}}
{{- end }}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
{{ include "common.context.metadata" (dict "ctx" $ctx "name" $unit.name "component" $unit.key) }}
spec:
  podSelector:
    matchLabels:
      {{- include "common.context.selector" (dict "ctx" $ctx "component" $unit.key) | nindent 6 }}
  policyTypes: [Ingress]
  ingress:
    {{- ternary $policy.ingress $ingress (hasKey $policy "ingress") | toYaml | nindent 4 }}
{{ end -}}
{{- end -}}
