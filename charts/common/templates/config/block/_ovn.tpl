{{- /* The addresses of OVN's databases: every member, because a client fails over to the next one. */ -}}
{{- define "common.config.block.ovn" -}}
needs: [ovn_ovsdb_nb, ovn_ovsdb_sb]
options:
  ovn:
    ovn_nb_connection: {{ include "common.endpoints.members" (dict "ctx" .ctx "type" "ovn_ovsdb_nb") | quote }}
    ovn_sb_connection: {{ include "common.endpoints.members" (dict "ctx" .ctx "type" "ovn_ovsdb_sb") | quote }}
    {{- range ternary (list "nb" "sb") list .ctx.values.tls.internal }}
    ovn_{{ . }}_private_key: /etc/tls/tls.key
    ovn_{{ . }}_certificate: /etc/tls/tls.crt
    ovn_{{ . }}_ca_cert: /etc/tls/ca.crt
    {{- end }}
{{- end -}}
