{{- /* The keyring of a client of Ceph, where data lives there, and in `pool`, whose data goes with the chart (`kk remove --purge`): .params {user, pool}. */ -}}
{{- define "common.config.block.ceph_client" -}}
{{- if eq .ctx.values.storage.backend "ceph" -}}
options:
  client.{{ .params.user }}:
    key: {{ include "common.endpoints.credential" (dict "ctx" .ctx "path" (printf "ceph_mon.%s.key" .params.user)) | quote }}
data: {{ ternary (dict "name" .params.pool "user" .params.user) dict (hasKey .params "pool") | toJson }}
{{- end -}}
{{- end -}}
