{{- /* my.cnf. One member is a cluster of one: others can join it without a restart. */ -}}
{{- define "common.config.block.mariadb" -}}
options:
  client:
    default-character-set: utf8mb4
    {{- if .ctx.values.tls.internal }}
    # For clients in the members, which connect by a socket, or by an address that no certificate has.
    ssl-verify-server-cert: "OFF"
    {{- end }}
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
    # Migrations create triggers and functions.
    log_bin_trust_function_creators: true
    binlog_format: ROW
    innodb_autoinc_lock_mode: 2
    wsrep_on: true
    wsrep_provider: /usr/lib/galera/libgalera_smm.so
    # Possible members; mariadb-start.py sets the actual ones, or none.
    wsrep_cluster_address: gcomm://{{ include "common.context.name" (dict "ctx" .ctx "key" "server") }}-peers
    wsrep_cluster_name: {{ include "common.context.name" (dict "ctx" .ctx "key" "server") }}
    # A member that sends its data to another continues to serve.
    wsrep_sst_method: mariabackup
  # Its password is in MYSQL_PWD.
  mariabackup:
    user: {{ include "common.endpoints.auth" (dict "ctx" .ctx "type" "oslo_db" "user" "admin" "field" "username") }}
{{- end -}}

{{- /* The members; mariadb-start.py reads the list at each poll. */ -}}
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
kolla's first start on an empty volume, as in the image's extend_start.sh. It cannot be repeated on incomplete
data, so a mark identifies these, and they are deleted.
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
# A former member of a cluster copies its data from there, even if an earlier copy is incomplete.
if [ -d mysql ] || [ -e grastate.dat ]; then
  exit 0
fi
touch $mark
kolla_start
rm $mark
{{ end -}}

{{- /*
Ready: synced (4), or a donor (2), which continues to serve. A member that has left Galera while it started, for
example because it missed a change while it received others, does not join by itself: it ends, and starts again.
Alive: in a cluster that may change data; a
member that lost the others is restarted, and joins them again.
*/ -}}
{{- define "common.scripts.mariadb-probe.sh" -}}
set -eu
status() {
  mariadb --user=root --connect-timeout=5 --batch --skip-column-names --execute="SHOW STATUS LIKE '$1'" | cut -f2
}
case $1 in
  ready)
    if [[ $(status wsrep_connected) == OFF ]] && sleep 3 && [[ $(status wsrep_connected) == OFF ]]; then
      echo "Galera has disconnected this member: it starts again"
      kill "$(cat /var/lib/mysql/mariadb.pid)"
    fi
    [[ $(status wsrep_local_state) == [24] ]]
    ;;
  alive) [[ $(status wsrep_cluster_status) == Primary ]] ;;
esac
{{ end -}}

{{- define "common.scripts.mariadb-member.sh" -}}
{{ if .values.tls.internal -}}
# A new certificate is for new connections; existing ones continue.
renew() {
  read="$(cat /etc/tls/tls.crt)"
  while sleep 10; do
    now="$(cat /etc/tls/tls.crt)"
    if [ "$now" != "$read" ] && mariadb --user=root --execute="FLUSH SSL"; then read=$now; fi
  done
}
renew &
{{ end -}}
python3 /scripts/mariadb-primary.py &
exec python3 /scripts/mariadb-start.py
{{ end -}}

{{- /*
The member that the Service selects. A pod's label is deleted with the pod, and Kubernetes sends no client to
a pod that is not ready: so the primary is deselected automatically, and the others only have to notice.
*/ -}}
{{- define "common.scripts.mariadb-primary.py" -}}
"""Labels the member to which clients connect: a member keeps the label while it is ready; otherwise the first ready one gets it."""
import subprocess
import time
import urllib.parse

{{ include "common.scripts.cluster" . }}

NAME = os.environ["POD_NAME"]
LABEL = "kk.openstack.org/primary"
PODS = "/api/v1/namespaces/%s/pods" % NAMESPACE
MEMBERS = urllib.parse.urlencode({"labelSelector": "app.kubernetes.io/instance={{ .release }},app.kubernetes.io/component=server"})
CLIENTS = "SELECT CONCAT('KILL ', id, ';') FROM information_schema.processlist WHERE host <> '' AND host NOT LIKE 'localhost%'"


def is_ready(pod):
    conditions = pod["status"].get("conditions", [])
    going = "deletionTimestamp" in pod["metadata"]
    return not going and any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)


def is_labelled(pod):
    return LABEL in pod["metadata"].get("labels", {})


def label(pod, value):
    request("PATCH", "%s/%s" % (PODS, pod["metadata"]["name"]), {"metadata": {"labels": {LABEL: value}}})


def cut_off():
    """Ends the connections of clients, so that they open new ones, which lead to the primary."""
    client = ["mariadb", "--user=root", "--batch", "--skip-column-names"]
    found = subprocess.run([*client, "--execute=" + CLIENTS], stdout=subprocess.PIPE)
    subprocess.run([*client, "--force"], input=found.stdout)


def choose(was_primary):
    """Sets the labels. Returns whether this member is the primary."""
    pods = sorted(request("GET", PODS + "?" + MEMBERS)["items"], key=lambda pod: int(pod["metadata"]["name"].rpartition("-")[2]))
    ready = list(filter(is_ready, pods))
    chosen = next(iter(list(filter(is_labelled, ready)) or ready), None)
    is_primary = chosen is not None and chosen["metadata"]["name"] == NAME
    if is_primary:
        # First the others, so that there are never two.
        for pod in filter(is_labelled, pods):
            if pod is not chosen:
                label(pod, None)
        if not is_labelled(chosen):
            label(chosen, "true")
            print("clients come to this member now", flush=True)
    if was_primary and chosen is not None and not is_primary:
        print("clients go to %s now" % chosen["metadata"]["name"], flush=True)
        cut_off()
    return is_primary or (was_primary and chosen is None)


primary = False
while True:
    try:
        primary = choose(primary)
    except (OSError, ValueError) as error:
        print("the primary could not be determined: %s" % error, flush=True)
    time.sleep(1)
{{ end -}}

{{- /* Writes and reads a row, in a database of the test. */ -}}
{{- define "common.scripts.mariadb-test.sh" -}}
set -eu
mariadb --host="$DB_HOST" --port="$DB_PORT" --user="$DB_USER" --connect-timeout=10{{ if .values.tls.internal }} --ssl-ca=/etc/tls/ca.crt{{ end }} <<SQL
CREATE DATABASE IF NOT EXISTS kk_test;
CREATE OR REPLACE TABLE kk_test.written (value INT PRIMARY KEY);
INSERT INTO kk_test.written VALUES (1);
SELECT value FROM kk_test.written;
DROP DATABASE kk_test;
SQL
{{ end -}}
