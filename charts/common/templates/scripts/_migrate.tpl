{{- /*
Runs a migration. After a rollback, helm runs the migrations of the old release again, on a schema that they
do not know: OpenStack's tools then print Alembic's error, and there is nothing to do. Keystone contracts
after it expands, so if it reports a missing expansion, that is of a later release.
*/ -}}
{{- define "common.scripts.migrate.sh" -}}
set -uo pipefail
said=$(mktemp)
"$@" 2>&1 | tee "$said" && exit
status=$?
if grep --quiet --regexp "Can't locate revision identified by" --regexp "attempting to upgrade contract ahead of expand" "$said"; then
  echo "the schema of the database is of a later release: nothing to migrate"
  exit 0
fi
exit $status
{{ end -}}
