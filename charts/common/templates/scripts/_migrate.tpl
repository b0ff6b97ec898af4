{{- /*
Runs a migration. After a rollback helm runs those of the old release again, on a schema that they do not know: what all
tools of OpenStack say then is Alembic's, and there is nothing to do.
*/ -}}
{{- define "common.scripts.migrate.sh" -}}
set -uo pipefail
said=$(mktemp)
"$@" 2>&1 | tee "$said" && exit
status=$?
if grep --quiet "Can't locate revision identified by" "$said"; then
  echo "the schema of the database is of a later release: nothing to migrate"
  exit 0
fi
exit $status
{{ end -}}
