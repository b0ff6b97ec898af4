{{- /*
Dumps the databases of a release before its first migration (`save`), or puts a dump back (`restore`), as the
administrator: one snapshot of all of them. A dump is named after the Job of the migration, which differs for
each release of OpenStack. A retried Job keeps the dump that it has: the schema may be half migrated by then.
While a dump is put back, the accounts of the service are locked, so that no one reads or writes half of it.
*/ -}}
{{- define "common.scripts.dump.sh" -}}
set -euo pipefail
umask 077
read -ra databases <<<"$DATABASES"
read -ra accounts <<<"$ACCOUNTS"
directory=/dumps/$RELEASE
options=(--no-defaults --host="$DB_HOST" --port="$DB_PORT" --user="$DB_ADMIN_USER" {{ ternary "--ssl-ca=/etc/tls/ca.crt --ssl-verify-server-cert" "--skip-ssl" .values.tls.internal }})

fail() {
  echo "$*" >&2
  exit 1
}

query() {
  mariadb "${options[@]}" --connect-timeout=10 --batch --skip-column-names --execute="$1"
}

# The last line of a dump is written after all data.
is_complete() {
  gzip --test "$1" && zcat "$1" | tail --lines=1 | grep --quiet '^-- Dump completed'
}

save() {
  local file=$directory/$JOB.sql.gz tables owner
  tables=$(query "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema IN ('${DATABASES// /\',\'}')")
  if [ "$tables" = 0 ]; then
    echo "no dump: $DATABASES: no tables yet"
    return
  fi
  mkdir --parents --mode=700 "$directory"
  rm --force "$directory"/*.partial
  if [ -e "$file" ]; then
    read -r owner < <(zcat "$file" 2>/dev/null) || true
    if [ "$owner" = "-- Job $JOB_UID" ]; then
      echo "$file was taken by this Job before"
      return
    fi
    mv "$file" "$directory/$JOB.$(date --utc --reference="$file" +%Y%m%dT%H%M%SZ).sql.gz"
  fi
  {
    echo "-- Job $JOB_UID"
    mariadb-dump "${options[@]}" --single-transaction --quick --add-drop-database --databases "${databases[@]}"
  } | gzip >"$file.partial" && is_complete "$file.partial" || {
    rm --force "$file.partial"
    fail "no migration starts: the dump of $DATABASES failed"
  }
  sync "$file.partial"
  mv "$file.partial" "$file"
  sync "$directory"
  # shellcheck disable=SC2012
  ls -1t "$directory"/*.sql.gz | tail --lines=+$((KEEP + 1)) | xargs --no-run-if-empty rm --
  echo "dumped $DATABASES to $file, $(stat --format=%s "$file") bytes"
}

unlock() {
  for account in "${accounts[@]}"; do query "ALTER USER '$account'@'%' ACCOUNT UNLOCK"; done
}

restore() {
  local file=$directory/${DUMP:?names the dump to restore}.sql.gz
  [ -e "$file" ] || fail "no dump $file; there are: $(ls -1t "$directory" 2>/dev/null | xargs)"
  is_complete "$file" || fail "$file is not a complete dump"
  trap unlock EXIT
  for account in "${accounts[@]}"; do query "ALTER USER '$account'@'%' ACCOUNT LOCK; KILL USER '$account'"; done
  zcat "$file" | mariadb "${options[@]}"
  echo "restored $DATABASES from $file"
}

"$1"
{{ end -}}
