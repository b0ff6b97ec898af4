{{- /*
Starts a service that runs commands as root with rootwrap: start-with-root.sh SERVICE COMMAND. Fails at once
without the rule for sudo; otherwise the service would become ready, and fail at the first task that needs
root.
*/ -}}
{{- define "common.scripts.start-with-root.sh" -}}
set -euo pipefail
sudo -n "$1-rootwrap" "/etc/$1/rootwrap.conf" privsep-helper --help >/dev/null
exec "${@:2}"
{{ end -}}
