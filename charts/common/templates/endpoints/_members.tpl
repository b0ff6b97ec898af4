{{- /*
`host:port` of every member of an endpoint, joined by commas, after .prefix, or `SCHEME:` if it has a scheme. `statefulset: {name, replicas}`, as in openstack-helm,
names the members one by one, where clients must know them; else it is the one Service.
*/ -}}
{{- define "common.endpoints.members" -}}
{{- $ctx := .ctx -}}
{{- $entry := include "common.endpoints.entry" . | mustFromJson -}}
{{- $port := include "common.endpoints.port" . -}}
{{- $scheme := include "common.endpoints.value" (dict "of" $entry.scheme "interface" "internal") -}}
{{- $prefix := .prefix | default (ternary (printf "%s:" $scheme) "" (not (empty $scheme))) -}}
{{- $hosts := list (include "common.endpoints.host" .) -}}
{{- with $entry.statefulset -}}
{{- $hosts = list -}}
{{- $set := . -}}
{{- range $i := until (int .replicas) -}}
{{- $hosts = append $hosts (printf "%s-%d.%s-peers.%s.svc.%s" $set.name $i $set.name ($entry.namespace | default $ctx.namespace) $ctx.endpoints.cluster_domain_suffix) -}}
{{- end -}}
{{- end -}}
{{- $members := list -}}
{{- range $hosts -}}
{{- $members = append $members (printf "%s%s:%s" $prefix . $port) -}}
{{- end -}}
{{- join "," $members -}}
{{- end -}}
