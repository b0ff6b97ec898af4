{{- /* my.cnf. One member is a plain server; more are a Galera cluster. */ -}}
{{- define "common.config.block.mariadb" -}}
{{- $replicas := include "common.context.replicas" (dict "ctx" .ctx "key" "server") | int -}}
{{- $name := include "common.context.name" (dict "ctx" .ctx "key" "server") -}}
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
    {{- if gt $replicas 1 }}
    {{- $members := list }}
    {{- range $i := until $replicas }}
    {{- $members = append $members (printf "%s-%d.%s-peers" $name $i $name) }}
    {{- end }}
    binlog_format: ROW
    innodb_autoinc_lock_mode: 2
    wsrep_on: true
    wsrep_provider: /usr/lib/galera/libgalera_smm.so
    wsrep_cluster_name: {{ $name }}
    wsrep_cluster_address: gcomm://{{ join "," $members }}
    wsrep_sst_method: rsync
    {{- else }}
    wsrep_on: false
    {{- end }}
{{- end -}}

{{- /* The first member of a cluster that nobody else runs begins it; galera itself refuses if others know more. */ -}}
{{- define "common.scripts.mariadb-start.sh" -}}
set -eu
members=$(sed -n 's|^wsrep_cluster_address = gcomm://||p' /var/lib/kolla/config_files/my.cnf | tr , ' ')
if [ -z "$members" ]; then
  exec mariadbd
fi
begin=--wsrep-new-cluster
[ "${POD_NAME##*-}" = 0 ] || begin=
for member in $members; do
  [ "${member%%.*}" = "$POD_NAME" ] && continue
  if timeout 3 bash -c "exec 3<>/dev/tcp/$member/4567" 2>/dev/null; then begin=; fi
done
exec mariadbd --wsrep-node-name="$POD_NAME" --wsrep-node-address="$POD_IP" $begin
{{ end -}}

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
if [ -d mysql ]; then
  exit 0
fi
touch $mark
kolla_start
rm $mark
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
