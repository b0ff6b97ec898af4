{{- /*
The keyring of a client of Ceph, with `storage.backend: ceph`, and the `pool` whose data `kk remove --purge`
deletes: .params {user, pool}.
*/ -}}
{{- define "common.config.block.ceph_client" -}}
{{- if eq .ctx.values.storage.backend "ceph" -}}
options:
  client.{{ .params.user }}:
    key: {{ include "common.endpoints.credential" (dict "ctx" .ctx "path" (printf "ceph_mon.%s.key" .params.user)) | quote }}
data: {{ ternary (dict "name" .params.pool "user" .params.user) dict (hasKey .params "pool") | toJson }}
{{- end -}}
{{- end -}}
