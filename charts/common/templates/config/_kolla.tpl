{{- /*
kolla's config.json of a unit: the files that kolla_start copies, with path and owner, and the command that it
then runs.
*/ -}}
{{- define "common.config.kolla" -}}
{{- if .unit.imported -}}
{{- pick .unit.imported "command" "config_files" "permissions" | toPrettyJson -}}
{{- else -}}
{{- $files := list -}}
{{- range $key := .unit.files -}}
{{- $file := get $.ctx.files $key -}}
{{- if $file.path -}}
{{- $files = append $files (dict "source" (printf "/var/lib/kolla/config_files/%s" $file.source) "dest" $file.path "owner" $file.owner "perm" $file.perm) -}}
{{- end -}}
{{- end -}}
{{- $permissions := list -}}
{{- range $path, $owner := .unit.owners -}}
{{- $permissions = append $permissions (dict "path" $path "owner" $owner "recurse" true) -}}
{{- end -}}
{{- dict "command" .unit.run "config_files" $files "permissions" $permissions | toPrettyJson -}}
{{- end -}}
{{- end -}}
