{{- /* The keyring of a client of Ceph, where data lives there: .params {user}. */ -}}
{{- define "common.config.block.ceph_client" -}}
{{- if eq .ctx.values.storage.backend "ceph" -}}
options:
  client.{{ .params.user }}:
    key: {{ include "common.endpoints.credential" (dict "ctx" .ctx "path" (printf "ceph_mon.%s.key" .params.user)) | quote }}
{{- end -}}
{{- end -}}
