{{- /*
ceph.conf of a client, with `storage.backend: ceph`: all monitors behind the Service, or those that the
endpoint lists.
*/ -}}
{{- define "common.config.block.ceph" -}}
{{- if eq .ctx.values.storage.backend "ceph" -}}
{{- $host := include "common.endpoints.host" (dict "ctx" .ctx "type" "ceph_mon") -}}
{{- if include "common.endpoints.service" (dict "ctx" .ctx "type" "ceph_mon") -}}
{{- $host = regexReplaceAll "^[^.]+" $host "${0}-peers" -}}
{{- end -}}
needs: [ceph_mon]
options:
  global:
    mon_host: {{ quote $host }}
{{- end -}}
{{- end -}}
