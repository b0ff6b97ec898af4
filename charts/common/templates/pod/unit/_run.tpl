{{- /* The command line: of uwsgi, or as given; `argv` names a file of that format whose text is appended. */ -}}
{{- define "common.pod.unit.run" -}}
{{- $unit := .unit -}}
{{- $run := $unit.command | default "" -}}
{{- if $unit.wsgi -}}
{{- $run = printf "uwsgi /etc/%s/%s-%s-uwsgi.ini" .ctx.chart .ctx.chart .key -}}
{{- end -}}
{{- with $unit.argv -}}
{{- $run = printf "%s %s" $run (dig . "text" "" $.ctx.files) -}}
{{- end -}}
{{- $_ := set $unit "run" $run -}}
{{- end -}}
