{{- /*
The values that all releases share: the library's defaults, overridden by `global`, overridden by the
release's own section. Sets .values, .endpoints and .user of the context. `signer` is the name under which a release
signs certificates (certificates.k8s.io).
*/ -}}
{{- define "common.context.values" -}}
{{- $own := .root.Values -}}
{{- $values := fromYaml (include "common.context.defaults" .) -}}
{{- $_ := set $values "endpoints" (fromYaml (include "common.context.catalogue" .)) -}}
{{- range $key, $facts := $own.components -}}
{{- if and $facts $facts.endpoint -}}
{{- $hosts := dict "default" (include "common.context.name" (dict "ctx" $ "key" $key)) -}}
{{- include "common.context.merge" (dict "into" $values.endpoints "from" (dict $facts.endpoint (dict "hosts" $hosts))) -}}
{{- end -}}
{{- end -}}
{{- range $layer := list ($own.global | default dict) $own -}}
{{- include "common.context.merge" (dict "into" $values.ingress "from" $layer.ingress) -}}
{{- end -}}
{{- include "common.context.names" $values -}}
{{- range $layer := list ($own.global | default dict) $own -}}
{{- $shared := pick $layer "annotations" "region" "endpoints" "images" "labels" "pod" "storage" "network" "network_policy" "node_groups" "dependencies" "dumps" "federation" "notifications" "secrets" "tls" -}}
{{- if kindIs "string" $shared.storage -}}
{{- $_ := set $shared "storage" (dict "ephemeral" (eq $shared.storage "ephemeral")) -}}
{{- end -}}
{{- include "common.context.merge" (dict "into" $values "from" $shared) -}}
{{- end -}}
{{- $_ := set . "values" $values -}}
{{- $certificate := ternary (include "common.context.certificate" .) "ingress-tls" (eq $values.ingress.certificate "release") -}}
{{- $_ := set $values "public_certificate" (coalesce $values.ingress.tls_secret $values.tls.secret $certificate) -}}
{{- $_ := set $values "signer" (printf "kk.openstack.org/%s.%s" .release .namespace) -}}
{{- $_ := set . "endpoints" $values.endpoints -}}
{{- include "common.context.tls" . -}}
{{- range $key, $facts := $own.components -}}
{{- if and $facts $facts.endpoint (eq (toString $facts.kind) "StatefulSet") -}}
{{- $members := dict "name" (include "common.context.name" (dict "ctx" $ "key" $key)) "replicas" (include "common.context.replicas" (dict "ctx" $ "key" $key)) -}}
{{- $entry := get $values.endpoints $facts.endpoint -}}
{{- $_ := set $entry "statefulset" ($entry.statefulset | default $members) -}}
{{- end -}}
{{- end -}}
{{- $_ := set . "user" ($own.user | default (dict "name" "root" "id" 0)) -}}
{{- end -}}
