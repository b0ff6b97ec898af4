{{- /*
Starts a service that runs commands as root, by rootwrap: start-with-root.sh SERVICE COMMAND. Without its rule for sudo it would be ready,
and end at the first task that needs root.
*/ -}}
{{- define "common.scripts.start-with-root.sh" -}}
set -euo pipefail
sudo -n "$1-rootwrap" "/etc/$1/rootwrap.conf" privsep-helper --help >/dev/null
exec "${@:2}"
{{ end -}}
