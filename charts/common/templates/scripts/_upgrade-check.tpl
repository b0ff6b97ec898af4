{{- /*
Asks a service of the release that comes whether it can take the place of the one that is here, on the database of that one: the arguments
are its program, and what says the version of its schema. A warning is no reason to stop; without a schema there is nothing to upgrade.
*/ -}}
{{- define "common.scripts.upgrade-check.sh" -}}
set -euo pipefail
version=$("${@:2}" | tail --lines 1)
if [ "${version:-None}" = None ]; then
  echo "there is no schema yet: nothing to upgrade"
  exit
fi
status=0
"$1" upgrade check || status=$?
[ "$status" -le 1 ]
{{ end -}}
