{{- /*
Every file of the service, once: sets .files of the context, by key:
{key, name, path, source, owner, perm, optional, secret, text, sections, env: {NAME: value}, needs: [endpoint], for}.
A file's options are its blocks' (`uses`) under `conf.<key>`, as openstack-helm's tree has them. What `kolla` has of a
component takes the place of the chart's file for the same path.
*/ -}}
{{- define "common.config.files" -}}
{{- $ctx := . -}}
{{- $files := dict -}}
{{- range $key, $component := .root.Values.components -}}
{{- if and $component $component.wsgi -}}
{{- $name := printf "%s-%s-uwsgi" $ctx.chart $key -}}
{{- $uses := dict "uwsgi" (dict "module" $component.wsgi "endpoint" $component.endpoint) -}}
{{- $_ := set $files (replace "-" "_" $name) (dict "format" "ini" "path" (printf "/etc/%s/%s.ini" $ctx.chart $name) "uses" $uses "for" $key) -}}
{{- end -}}
{{- end -}}
{{- include "common.context.merge" (dict "into" $files "from" .root.Values.files) -}}
{{- $conf := .root.Values.conf | default dict -}}
{{- $all := dict -}}
{{- $names := dict -}}
{{- range $key, $file := $files -}}
{{- include "common.config.file" (dict "ctx" $ctx "key" $key "file" $file "conf" (get $conf $key)) -}}
{{- if hasKey $names $file.name -}}
{{- fail (printf "files %s and %s are both called %s: give one of them another name" (get $names $file.name) $key $file.name) -}}
{{- end -}}
{{- $_ := set $names $file.name $key -}}
{{- if or $file.text (not $file.optional) -}}
{{- $_ := set $all $key $file -}}
{{- end -}}
{{- end -}}
{{- include "common.config.imported" (dict "ctx" $ctx "files" $all) -}}
{{- range $all -}}
{{- $text := ternary .text (trim .text | printf "%s\n") (.imported | default false) -}}
{{- if and .secret (or .imported .text) -}}
{{- $_ := set $ctx.secrets.files .name $text -}}
{{- else if or .imported (and .text (or .path .live)) -}}
{{- $_ := set $ctx.configmaps.etc .name $text -}}
{{- end -}}
{{- end -}}
{{- $_ := set $ctx "files" $all -}}
{{- end -}}
