{{- /*
What is shared by all releases: the library's defaults, under `global`, under the release's own section.
Sets .values, .endpoints and .user of the context.
*/ -}}
{{- define "common.context.values" -}}
{{- $values := fromYaml (include "common.context.defaults" .) -}}
{{- $_ := set $values "endpoints" (fromYaml (include "common.context.catalogue" .)) -}}
{{- $own := .root.Values -}}
{{- $ctx := . -}}
{{- range $key, $facts := $own.components -}}
{{- if and $facts $facts.endpoint -}}
{{- $entry := get $values.endpoints $facts.endpoint | default dict -}}
{{- $_ := set $values.endpoints $facts.endpoint $entry -}}
{{- $_ := set $entry "hosts" (dict "default" (include "common.context.name" (dict "ctx" $ctx "key" $key))) -}}
{{- end -}}
{{- end -}}
{{- range $layer := list $own.global $own -}}
{{- if $layer -}}
{{- $shared := dict -}}
{{- range $key := list "region" "endpoints" "images" "labels" "pod" "storage" "network" "network_policy" "dependencies" "secrets" -}}
{{- if hasKey $layer $key -}}
{{- $_ := set $shared $key (get $layer $key) -}}
{{- end -}}
{{- end -}}
{{- if kindIs "string" $shared.storage -}}
{{- $_ := set $shared "storage" (dict "ephemeral" (eq $shared.storage "ephemeral")) -}}
{{- end -}}
{{- include "common.context.merge" (dict "into" $values "from" $shared) -}}
{{- end -}}
{{- end -}}
{{- $_ := set $ctx "values" $values -}}
{{- $_ := set $ctx "endpoints" $values.endpoints -}}
{{- range $key, $facts := $own.components -}}
{{- if and $facts $facts.endpoint (eq (toString $facts.kind) "StatefulSet") -}}
{{- $members := dict "name" (include "common.context.name" (dict "ctx" $ctx "key" $key)) "replicas" (include "common.context.replicas" (dict "ctx" $ctx "key" $key)) -}}
{{- $entry := get $values.endpoints $facts.endpoint -}}
{{- $_ := set $entry "statefulset" ($entry.statefulset | default $members) -}}
{{- end -}}
{{- end -}}
{{- $_ := set $ctx "user" ($own.user | default (dict "name" "root" "id" 0)) -}}
{{- end -}}
