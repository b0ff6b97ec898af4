{{- /*
Sets .files of the context, every file of the service by its key:
{key, name, path, source, owner, perm, optional, secret, text, sections, env: {NAME: value}, needs: [endpoint], data, for}.
A file with `configmap` is in that ConfigMap, for programs that look for it there. A file's options are those of
its blocks (`uses`), overridden by `conf.<key>`, as in openstack-helm. The files of a component in `kolla` replace
the chart's files with the same path.
*/ -}}
{{- define "common.config.files" -}}
{{- $files := dict -}}
{{- range $key, $component := .root.Values.components -}}
{{- if and $component $component.wsgi -}}
{{- $name := printf "%s-%s-uwsgi" $.chart $key -}}
{{- $uses := dict "uwsgi" (dict "module" $component.wsgi "endpoint" $component.endpoint) -}}
{{- $_ := set $files (replace "-" "_" $name) (dict "format" "ini" "path" (printf "/etc/%s/%s.ini" $.chart $name) "uses" $uses "for" $key) -}}
{{- end -}}
{{- end -}}
{{- include "common.context.merge" (dict "into" $files "from" .root.Values.files) -}}
{{- $all := dict -}}
{{- $names := dict -}}
{{- range $key, $file := $files -}}
{{- include "common.config.file" (dict "ctx" $ "key" $key "file" $file "conf" (get ($.root.Values.conf | default dict) $key)) -}}
{{- if hasKey $names $file.name -}}
{{- fail (printf "files %s and %s are both called %s: give one of them another name" (get $names $file.name) $key $file.name) -}}
{{- end -}}
{{- $_ := set $names $file.name $key -}}
{{- if or $file.text (not $file.optional) -}}
{{- $_ := set $all $key $file -}}
{{- end -}}
{{- end -}}
{{- include "common.config.imported" (dict "ctx" . "files" $all) -}}
{{- range $all -}}
{{- $text := ternary .text (trim .text | printf "%s\n") (.imported | default false) -}}
{{- if or .imported (and .text (or .path .live)) -}}
{{- $_ := set (ternary $.configmaps.etc $.secrets.files (empty .secret)) .name $text -}}
{{- else if and .text .configmap -}}
{{- $_ := set $.configmaps .configmap (dict .name $text | merge (get $.configmaps .configmap | default dict)) -}}
{{- end -}}
{{- end -}}
{{- $_ := set . "files" $all -}}
{{- end -}}

{{- /*
Completes one file in place. Secret options that the blocks of an oslo file write go to .env, as
OS_<GROUP>__<OPTION>, which oslo.config reads before its files. A file with any other secret is stored in the
Secret as a whole: a variable applies to all files of a pod, and cannot hold a list or the former name of an
option.
*/ -}}
{{- define "common.config.file" -}}
{{- $file := .file -}}
{{- $format := $file.format | default "oslo" -}}
{{- $options := dict -}}
{{- $env := dict -}}
{{- $needs := list -}}
{{- range $name, $params := $file.uses -}}
{{- if $params -}}
{{- $block := include (printf "common.config.block.%s" $name) (dict "ctx" $.ctx "params" (ternary $params dict (kindIs "map" $params))) | fromYaml -}}
{{- if $block.Error -}}
{{- fail (printf "block %s: %s" $name $block.Error) -}}
{{- end -}}
{{- include "common.context.merge" (dict "into" $options "from" $block.options) -}}
{{- $needs = concat $needs ($block.needs | default list) -}}
{{- $_ := set $file "data" ($block.data | default $file.data) -}}
{{- end -}}
{{- end -}}
{{- $written := deepCopy $options -}}
{{- if kindIs "map" .conf -}}
{{- include "common.context.merge" (dict "into" $options "from" .conf) -}}
{{- else if .conf -}}
{{- $options = .conf -}}
{{- end -}}
{{- if and .ctx.values.tls.internal (dig "uses" "uwsgi" false $file) $options.uwsgi.http -}}
{{- $_ := set $options.uwsgi "https" (printf "%s,/etc/tls/tls.crt,/etc/tls/tls.key" $options.uwsgi.http) -}}
{{- $_ := unset $options.uwsgi "http" -}}
{{- if not .ctx.values.tls.files -}}{{- $_ := set $options.uwsgi "touch-reload" "/etc/tls/tls.crt" -}}{{- end -}}
{{- end -}}
{{- if eq $format "oslo" -}}
{{- range $section, $values := $options -}}
{{- $own := get $written $section -}}
{{- $secret := and $own (kindIs "map" $values) (include "common.config.secret" (dict "name" $section "value" $values)) -}}
{{- range $option, $value := ternary $values dict (not (empty $secret)) -}}
{{- if and (kindIs "string" $value) (hasKey $own $option) (include "common.config.secret" (dict "name" $section "value" (dict $option $value))) -}}
{{- $_ := set $env (printf "OS_%s__%s" $section $option | upper) $value -}}
{{- $_ := unset $values $option -}}
{{- end }}{{ end -}}
{{- end -}}
{{- $format = "ini" -}}
{{- end -}}
{{- $_ := set $file "secret" (or $file.secret (include "common.config.secret" (dict "name" "" "value" $options))) -}}
{{- $text := ternary "" (include (printf "common.config.format.%s" $format) $options) (empty $options) -}}
{{- $_ := merge $file (dict
  "key" .key "name" (base ($file.path | default .key)) "owner" .ctx.user.name "perm" "0600"
  "text" $text "sections" (ternary $options dict (kindIs "map" $options)) "env" $env "needs" (uniq $needs)) -}}
{{- $_ := set $file "source" $file.name -}}
{{- end -}}
