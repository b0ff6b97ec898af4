{{- /*
The keys of the files that a unit mounts: those that were generated elsewhere for it, those it lists, else all that are
for everybody or for it.
*/ -}}
{{- define "common.pod.unit.files" -}}
{{- $unit := .unit -}}
{{- $key := .key -}}
{{- $files := list -}}
{{- if $unit.imported -}}
{{- range $name, $_ := .ctx.files -}}
{{- if hasPrefix (printf "kolla/%s/" $key) $name -}}{{- $files = append $files $name -}}{{- end -}}
{{- end -}}
{{- else if $unit.files -}}
{{- range $name := $unit.files -}}
{{- if hasKey $.ctx.files $name -}}{{- $files = append $files $name -}}{{- end -}}
{{- end -}}
{{- else if $unit.kolla -}}
{{- range $name, $file := .ctx.files -}}
{{- if and (or $file.path $file.live) (has ($file.for | default $key) (list $key)) -}}
{{- $files = append $files $name -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $_ := set $unit "files" $files -}}
{{- end -}}
