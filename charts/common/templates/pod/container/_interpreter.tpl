{{- /* What runs a script of the release, by its ending. */ -}}
{{- define "common.pod.interpreter" -}}
{{ ternary "python3" "bash" (hasSuffix ".py" .) }} /scripts/{{ . }}
{{- end -}}
