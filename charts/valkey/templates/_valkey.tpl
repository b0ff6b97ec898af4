{{- define "common.config.block.valkey" -}}
options:
  port: {{ include "common.endpoints.port" (dict "ctx" .ctx "type" "coordination" "interface" "service") }}
{{- end -}}

{{- /* Passes Valkey its options on standard input, so that no argument has the password. */ -}}
{{- define "common.scripts.valkey.sh" -}}
set -euo pipefail
lines=$(for option; do option=${option#--}; printf '%s %s\n' "${option%%=*}" "${option#*=}"; done)
password=${PASSWORD//\\/\\\\}
exec valkey-server - <<<"$lines
requirepass \"${password//\"/\\\"}\""
{{ end -}}

{{- /* Writes a key and reads it again. */ -}}
{{- define "common.scripts.valkey-test.sh" -}}
set -eu
valkey-cli -h "$HOST" -p "$PORT" set kk-test ok ex 60
[ "$(valkey-cli -h "$HOST" -p "$PORT" get kk-test)" = ok ]
{{ end -}}
