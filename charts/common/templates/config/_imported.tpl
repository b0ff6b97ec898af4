{{- /*
Adds generated files of components to .files (`kolla.<component>`: kolla's config.json with `files` and
`secrets`, the contents of its sources by name): each unchanged, under the key `kolla/<component>/<name>`, and
also under the key of the chart's file with the same path, so that jobs read the same.
*/ -}}
{{- define "common.config.imported" -}}
{{- $files := .files -}}
{{- range $component, $config := .ctx.root.Values.kolla -}}
{{- if $config -}}
{{- if not (get $.ctx.root.Values.components $component) -}}
{{- fail (printf "kolla.%s: %s has the components %s" $component $.ctx.chart (keys $.ctx.root.Values.components | sortAlpha | join ", ")) -}}
{{- end -}}
{{- range $place := list "files" "secrets" -}}
{{- range $source, $text := index $config $place -}}
{{- $file := dict
  "imported" true "for" $component "name" (printf "%s.%s" $component (replace "/" "_" $source)) "source" $source
  "text" $text "secret" (eq $place "secrets") "sections" dict "env" dict "needs" list -}}
{{- $_ := set $files (printf "kolla/%s/%s" $component $source) $file -}}
{{- end -}}
{{- end -}}
{{- range $entry := $config.config_files -}}
{{- $source := trimPrefix "/var/lib/kolla/config_files/" $entry.source -}}
{{- $file := get $files (printf "kolla/%s/%s" $component $source) -}}
{{- $path := ternary (printf "%s%s" $entry.dest (base $source)) $entry.dest (hasSuffix "/" $entry.dest) -}}
{{- range $key, $own := $files -}}
{{- if and $file (not $own.imported) (eq (toString $own.path) $path) -}}
{{- $_ := set $file "needs" $own.needs -}}
{{- $target := dict "for" $own.for "path" $path "owner" ($entry.owner | default $own.owner) "perm" ($entry.perm | default $own.perm) -}}
{{- $_ := set $files $key (merge $target (dict "sections" $own.sections) (omit $file "for" "sections")) -}}
{{- end }}{{ end -}}
{{- end }}{{ end -}}
{{- end -}}
{{- end -}}
