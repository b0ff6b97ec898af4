{{- /*
Checks that the new release of a service can replace the current one, on its database: the arguments are its
program, and the command that prints the version of its schema. A warning does not stop the upgrade; without a
schema there is nothing to upgrade.
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
