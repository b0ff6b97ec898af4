{{- /*
Sets .components of the context: the chart's components, completed. Their ports are name → {service,
container}: `ports`, all on which they listen, and `served`, those of their Service. With an endpoint, the
ports in their facts are only for connections between members.
*/ -}}
{{- define "common.context.components" -}}
{{- $components := dict -}}
{{- range $key, $facts := .root.Values.components -}}
{{- if $facts -}}
{{- $unit := deepCopy $facts -}}
{{- $endpoint := get $.endpoints ($unit.endpoint | default "") | default dict -}}
{{- if ne (dig "storage" "backend" $.values.storage.backend $unit) $.values.storage.backend -}}
{{- $_ := unset $unit "storage" -}}
{{- end -}}
{{- $own := dict -}}
{{- range $name, $port := $unit.ports -}}
{{- $_ := set $own $name (dict "service" (int64 $port) "container" (int64 $port)) -}}
{{- end -}}
{{- $served := dict -}}
{{- range $name, $_ := $endpoint.port -}}
{{- $port := dict "ctx" $ "type" $unit.endpoint "port" $name -}}
{{- $container := include "common.endpoints.port" (merge (dict "interface" "service") $port) -}}
{{- $_ := set $served ($name | replace "_" "-") (dict "service" (include "common.endpoints.port" $port) "container" $container) -}}
{{- end -}}
{{- $_ := set $unit "ports" (merge dict $own $served) -}}
{{- $_ := set $unit "served" (ternary $served $own (not (empty $unit.endpoint))) -}}
{{- $_ := set $unit "main" (keys ($served | default $own) | sortAlpha | first) -}}
{{- $_ := set $unit "https" ($endpoint.https | default false) -}}
{{- $_ := set $unit "kind" ($unit.kind | default "Deployment") -}}
{{- $replicas := include "common.context.replicas" (dict "ctx" $ "key" $key) | int -}}
{{- /* Data that only the pods of one node reach, or only one pod, has one. */ -}}
{{- $shared := or (empty $unit.storage) (and (not $.values.storage.ephemeral) (eq $.values.storage.access "ReadWriteMany")) -}}
{{- $_ := set $unit "replicas" (ternary $replicas (min $replicas 1 | int) (or $shared (ne $unit.kind "Deployment"))) -}}
{{- $ingress := pick $.values.ingress "enabled" "class" "gateway" "annotations" -}}
{{- if or $.values.ingress.tls_secret (not (include "common.context.issued" $ingress)) -}}
{{- $_ := set $ingress "tls_secret" $.values.public_certificate -}}
{{- end -}}
{{- $network := dict "ingress" (ternary dict $ingress (and $.values.ingress.enabled $endpoint.public | empty)) -}}
{{- include "common.context.merge" (dict "into" $network "from" (include "common.context.pick" (dict "ctx" $ "key" $key "of" $.values.network) | mustFromJson)) -}}
{{- $_ := set $unit "network" $network -}}
{{- include "common.pod.unit" (dict "ctx" $ "role" "component" "key" $key "unit" $unit) -}}
{{- if $unit.is_status }}{{ include "common.context.status.unit" $unit }}{{ end -}}
{{- $_ := set $components $key $unit -}}
{{- end -}}
{{- end -}}
{{- $_ := set . "components" $components -}}
{{- end -}}
