{{- define "common.pod.probes.handler" -}}
{{- $port := coalesce .probe.port .unit.probe.port .unit.main -}}
{{- if .probe.exec -}}
exec:
  command: {{ toJson .probe.exec }}
{{- else if .probe.path -}}
httpGet:
  path: {{ .probe.path }}
  port: {{ $port }}
{{- else -}}
tcpSocket:
  port: {{ $port }}
{{- end -}}
{{- end -}}
