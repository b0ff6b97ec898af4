{{- /* Completes one file in place; see common.config.files. */ -}}
{{- define "common.config.file" -}}
{{- $ctx := .ctx -}}
{{- $file := .file -}}
{{- $format := $file.format | default "oslo" -}}
{{- $options := dict -}}
{{- $env := dict -}}
{{- $needs := list -}}
{{- range $name, $params := $file.uses -}}
{{- if $params -}}
{{- $text := include (printf "common.config.block.%s" $name) (dict "ctx" $ctx "params" (ternary $params dict (kindIs "map" $params))) -}}
{{- $block := fromYaml $text -}}
{{- if $block.Error -}}
{{- fail (printf "block %s: %s" $name $block.Error) -}}
{{- end -}}
{{- include "common.context.merge" (dict "into" $options "from" $block.options) -}}
{{- $needs = concat $needs ($block.needs | default list) -}}
{{- end -}}
{{- end -}}
{{- if kindIs "map" .conf -}}
{{- include "common.context.merge" (dict "into" $options "from" .conf) -}}
{{- else if .conf -}}
{{- $options = .conf -}}
{{- end -}}
{{- if eq $format "oslo" -}}
{{- include "common.config.extract" (dict "options" $options "env" $env) -}}
{{- end -}}
{{- $_ := set $file "key" .key -}}
{{- $_ := set $file "format" $format -}}
{{- $_ := set $file "name" ($file.name | default (base ($file.path | default .key))) -}}
{{- $_ := set $file "source" $file.name -}}
{{- $_ := set $file "owner" ($file.owner | default $ctx.user.name) -}}
{{- $_ := set $file "perm" ($file.perm | default "0600") -}}
{{- $_ := set $file "sections" $options -}}
{{- $_ := set $file "env" $env -}}
{{- $_ := set $file "needs" ($needs | uniq) -}}
{{- $_ := set $file "text" "" -}}
{{- if $options -}}
{{- $_ := set $file "text" (include (printf "common.config.format.%s" $format) $options) -}}
{{- end -}}
{{- end -}}
