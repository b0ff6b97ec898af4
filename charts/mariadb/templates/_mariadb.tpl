{{- /* my.cnf. One member is a cluster of one: others can join it without a restart. */ -}}
{{- define "common.config.block.mariadb" -}}
options:
  client:
    default-character-set: utf8mb4
  mysqld:
    bind-address: 0.0.0.0
    port: {{ include "common.endpoints.port" (dict "ctx" .ctx "type" "oslo_db" "interface" "service") }}
    datadir: /var/lib/mysql/
    pid-file: /var/lib/mysql/mariadb.pid
    ignore-db-dirs: lost+found
    character-set-server: utf8mb3
    collation-server: utf8mb3_general_ci
    default-storage-engine: innodb
    skip-name-resolve: true
    # Migrations make triggers and functions.
    log_bin_trust_function_creators: true
    binlog_format: ROW
    innodb_autoinc_lock_mode: 2
    wsrep_on: true
    wsrep_provider: /usr/lib/galera/libgalera_smm.so
    # Where others may be; mariadb-start.py says which, or that there are none.
    wsrep_cluster_address: gcomm://{{ include "common.context.name" (dict "ctx" .ctx "key" "server") }}-peers
    wsrep_cluster_name: {{ include "common.context.name" (dict "ctx" .ctx "key" "server") }}
    # Whoever gives its data to another goes on serving.
    wsrep_sst_method: mariabackup
  # Its password is in MYSQL_PWD.
  mariabackup:
    user: {{ include "common.endpoints.auth" (dict "ctx" .ctx "type" "oslo_db" "user" "admin" "field" "username") }}
{{- end -}}

{{- /* Who the members are: mariadb-start.py reads it anew each time it looks. */ -}}
{{- define "common.config.block.members" -}}
{{- $name := include "common.context.name" (dict "ctx" .ctx "key" "server") -}}
options:
  service: {{ $name }}-peers
  members:
    {{- range $i := until (include "common.context.replicas" (dict "ctx" .ctx "key" "server") | int) }}
    - {{ $name }}-{{ $i }}.{{ $name }}-peers
    {{- end }}
{{- end -}}

{{- /*
kolla's first start on an empty volume, as the image's extend_start.sh does it. It cannot be repeated on what it left
half done, so that is recognised by a mark and thrown away.
*/ -}}
{{- define "common.scripts.mariadb-init.sh" -}}
set -eu
cd /var/lib/mysql
mark=.first-start
if [ "${POD_NAME##*-}" != 0 ]; then
  exit 0
fi
if [ -e $mark ]; then
  find . -mindepth 1 ! -name lost+found ! -name $mark -delete
fi
# Whoever was in a cluster has its data from there, also if it ended before that was all copied.
if [ -d mysql ] || [ -e grastate.dat ]; then
  exit 0
fi
touch $mark
kolla_start
rm $mark
{{ end -}}

{{- /*
Ready: in step with the others (4), or giving its data to one of them (2), which does not hold it up. Alive: in a
cluster that may change data; a member that lost the others looks for them anew.
*/ -}}
{{- define "common.scripts.mariadb-probe.sh" -}}
set -eu
status() {
  mariadb --user=root --connect-timeout=5 --batch --skip-column-names --execute="SHOW STATUS LIKE '$1'" | cut -f2
}
case $1 in
  ready) [[ $(status wsrep_local_state) == [24] ]] ;;
  alive) [[ $(status wsrep_cluster_status) == Primary ]] ;;
esac
{{ end -}}

{{- define "common.scripts.mariadb-test.sh" -}}
set -eu
mariadb --host="$DB_HOST" --port="$DB_PORT" --user="$DB_USER" --connect-timeout=10 <<SQL
CREATE DATABASE IF NOT EXISTS kk_test;
CREATE OR REPLACE TABLE kk_test.written (value INT PRIMARY KEY);
INSERT INTO kk_test.written VALUES (1);
SELECT value FROM kk_test.written;
DROP DATABASE kk_test;
SQL
{{ end -}}
