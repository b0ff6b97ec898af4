{{- /*
`host:port` of every member of an endpoint, joined by commas, after .prefix, or `SCHEME:` if it has a scheme.
`statefulset: {name, replicas}`, as in openstack-helm, lists the members one by one for clients that must know
them; otherwise it is the Service.
*/ -}}
{{- define "common.endpoints.members" -}}
{{- $port := include "common.endpoints.port" . -}}
{{- $scheme := include "common.endpoints.value" (merge (dict "attribute" "scheme") .) -}}
{{- $prefix := .prefix | default (ternary (printf "%s:" $scheme) "" (not (empty $scheme))) -}}
{{- $hosts := list (include "common.endpoints.host" .) -}}
{{- $entry := get .ctx.endpoints .type -}}
{{- with $entry.statefulset -}}
{{- $hosts = list -}}
{{- $peers := printf "%s-peers.%s.svc.%s" .name ($entry.namespace | default $.ctx.namespace) $.ctx.endpoints.cluster_domain_suffix -}}
{{- range $i := until (int .replicas) -}}
{{- $hosts = append $hosts (printf "%s-%d.%s" $entry.statefulset.name $i $peers) -}}
{{- end -}}
{{- end -}}
{{- printf "%s%s:%s" $prefix (join (printf ":%s,%s" $port $prefix) $hosts) $port -}}
{{- end -}}
