{{- define "common.config.block.memcached" -}}
options:
  listen: 0.0.0.0
  port: {{ include "common.endpoints.port" (dict "ctx" .ctx "type" "oslo_cache" "interface" "service") }}
  udp-port: 0
{{- end -}}

{{- /* Writes a key and reads it again, with nothing but bash. */ -}}
{{- define "common.scripts.memcached-test.sh" -}}
set -eu
exec 3<>"/dev/tcp/$HOST/$PORT"
printf 'set kk-test 0 60 2\r\nok\r\nget kk-test\r\nquit\r\n' >&3
answer=$(timeout 20 cat <&3)
printf '%s\n' "$answer"
[[ "$answer" == *STORED*VALUE*ok*END* ]]
{{ end -}}
