{{- /*
A secret by its path `<type>.<…>` below `endpoints.<type>.auth`, such as oslo_db.admin.password. Charts have
no default for one. If another owner manages the Secret (`secrets.env`), nothing is looked up. Each lookup is
recorded in .used of the context. With .oslo, it is written as an option, in which oslo.config reads `$$` as
`$`.
*/ -}}
{{- define "common.endpoints.credential" -}}
{{- $_ := set .ctx.used .path true -}}
{{- $parts := splitList "." .path -}}
{{- $value := dig "auth" dict (include "common.endpoints.entry" (dict "ctx" .ctx "type" (first $parts)) | mustFromJson) -}}
{{- range $part := rest $parts -}}
{{- if kindIs "map" $value -}}
{{- $value = get $value $part -}}
{{- end -}}
{{- end -}}
{{- if dig "secrets" "env" "" .ctx.values -}}
given
{{- else if or (not $value) (kindIs "map" $value) -}}
{{- fail (printf "endpoints.%s.auth.%s is needed and not set: give it in the release's section or in global" (first $parts) (rest $parts | join ".")) -}}
{{- else -}}
{{- include "common.config.scalar" $value | replace "$" (ternary "$$" "$" (.oslo | default false)) -}}
{{- end -}}
{{- end -}}
