{{- /* What a pod shares with its node: nothing, unless the unit's facts say so. */ -}}
{{- define "common.pod.host" -}}
{{- $host := .unit.host | default dict -}}
{{- if $host.network -}}
hostNetwork: true
dnsPolicy: ClusterFirstWithHostNet
{{- end }}
{{- if $host.pid }}
hostPID: true
{{- end }}
{{- if $host.ipc }}
hostIPC: true
{{- end }}
{{- end -}}
