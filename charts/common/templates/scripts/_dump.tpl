{{- /*
Dumps the databases of a release before its first migration (`save`), or puts a dump back (`restore`), as the
administrator: one snapshot of all of them. A dump is named after the Job of the migration, which differs for
each release of OpenStack. A retried Job, also one that was created again because it had failed, keeps the
dump that there is: its migration may have changed the schema, which the dump states. While a dump is put
back, and until that succeeds, the accounts of the service are locked: no one reads or writes half of it.
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

schema() {
  mariadb-dump "${options[@]}" --single-transaction --no-data --skip-comments --databases "${databases[@]}" |
    sed 's/ AUTO_INCREMENT=[0-9]*//' | sha256sum | cut --delimiter=' ' --fields=1
}

save() {
  local file=$directory/$JOB.sql.gz tables owner before= now
  tables=$(query "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema IN ('${DATABASES// /\',\'}')")
  if [ "$tables" = 0 ]; then
    echo "no dump: $DATABASES: no tables yet"
    return
  fi
  mkdir --parents --mode=700 "$directory"
  rm --force "$directory"/*.partial
  { read -r owner && read -r before; } < <(zcat "$file" 2>/dev/null) || true
  if [ "$owner" = "-- Job $JOB_UID" ]; then
    echo "$file was taken by this Job before"
    return
  fi
  now=$(schema) || fail "no migration starts: the dump of $DATABASES failed"
  if [ -e "$file" ]; then
    if [ "$before" != "-- Schema $now" ] && is_complete "$file"; then
      echo "$file remains: the schema has changed since it was taken"
      return
    fi
    mv "$file" "$directory/$JOB.$(date --utc --reference="$file" +%Y%m%dT%H%M%SZ).sql.gz"
  fi
  {
    echo "-- Job $JOB_UID"
    echo "-- Schema $now"
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

restore() {
  local file=$directory/${DUMP:?names the dump to restore}.sql.gz
  [ -e "$file" ] || fail "no dump $file; there are: $(ls -1t "$directory" 2>/dev/null | xargs)"
  is_complete "$file" || fail "$file is not a complete dump"
  for account in "${accounts[@]}"; do query "ALTER USER '$account'@'%' ACCOUNT LOCK; KILL USER '$account'"; done
  zcat "$file" | mariadb "${options[@]}" ||
    fail "$DATABASES is restored only in part: the accounts ${accounts[*]} stay locked until a restore succeeds"
  for account in "${accounts[@]}"; do query "ALTER USER '$account'@'%' ACCOUNT UNLOCK"; done
  echo "restored $DATABASES from $file"
}

"$1"
{{ end -}}
