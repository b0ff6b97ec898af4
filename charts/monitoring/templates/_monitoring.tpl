{{- /* Maps by name, which a deployer can change, as the lists that Prometheus and Alertmanager read. JSON is YAML. */ -}}
{{- define "common.scripts.monitoring.py" -}}
"""Writes the configuration of Prometheus or Alertmanager from JSON with maps by name, and starts it."""
import json
import os
import sys

CONFIGURATION = os.environ.get("CONFIGURATION", "/etc/prometheus")
WRITTEN = os.environ.get("WRITTEN", "/tmp")


def read(name):
    with open(os.path.join(CONFIGURATION, name)) as file:
        return json.load(file)


def write(name, content):
    path = os.path.join(WRITTEN, name)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(content, file)
    return path


def listed(by_name, key):
    """A map by name as a list of maps that have the name; null removes an entry."""
    return [dict(entry, **{key: name}) for name, entry in by_name.items() if entry is not None]


def prometheus():
    alertmanager = os.environ["ALERTMANAGER"] + ":9093"
    own = {
        "prometheus": {"static_configs": [{"targets": ["localhost:9090"]}]},
        "alertmanager": {"static_configs": [{"targets": [alertmanager]}]},
    }
    configuration = {
        "alerting": {"alertmanagers": [{"static_configs": [{"targets": [alertmanager]}]}]},
        **read("prometheus.json"),
        "rule_files": [os.path.join(CONFIGURATION, "rules.json")],
    }
    configuration["scrape_configs"] = listed({**own, **configuration.get("scrape_configs", {})}, "job_name")
    return ["prometheus", "--config.file=" + write("prometheus.json", configuration)]


def alertmanager():
    configuration = read("delivery.json")
    configuration["receivers"] = listed(configuration["receivers"], "name")
    return ["prometheus-alertmanager", "--config.file=" + write("alertmanager.json", configuration)]


def node():
    """Listens on the node's address in Kubernetes, not on others."""
    address = os.environ["POD_IP"]
    return ["prometheus-node-exporter", "--web.listen-address=%s:9100" % ("[%s]" % address if ":" in address else address)]


if __name__ == "__main__":
    command = {"prometheus": prometheus, "alertmanager": alertmanager, "node": node}[sys.argv[1]]()
    if os.environ.get("ONLY_WRITE"):
        print(" ".join(command))
    else:
        os.execvp(command[0], command + sys.argv[2:])
{{ end -}}

{{- /* The alerts, groups of maps by name, as Prometheus reads rules. */ -}}
{{- define "common.config.format.rules" -}}
{{- $groups := list -}}
{{- range $name, $alerts := . -}}
{{- $rules := list -}}
{{- range $alert, $facts := $alerts -}}
{{- if $facts -}}
{{- $rules = append $rules (dict
  "alert" $alert "expr" (trim $facts.expr) "for" ($facts.for | default "0s") "labels" (dict "severity" $facts.severity)
  "annotations" (dict "summary" $facts.summary "runbook" (printf "kk docs monitoring: %s" $alert))) -}}
{{- end -}}
{{- end -}}
{{- if $rules -}}{{- $groups = append $groups (dict "name" $name "rules" $rules) -}}{{- end -}}
{{- end -}}
{{- dict "groups" $groups | toPrettyJson -}}
{{- end -}}

{{- /* The only namespace that kube-state-metrics may read. */ -}}
{{- define "common.config.block.own_namespace" -}}
options:
  namespaces: {{ .ctx.namespace }}
{{- end -}}

{{- /*
Scrape jobs of the multi-target exporters that are deployed: each member is a target, by its own name, as in its
certificate.
*/ -}}
{{- define "common.config.block.exporters" -}}
{{- $suffix := .ctx.endpoints.cluster_domain_suffix }}
options:
  scrape_configs:
    {{- range $chart, $job := dict "mariadb" (dict "port" "mysql" "path" "/probe" "own" 9104) "memcached" (dict "port" "memcache" "path" "/scrape" "own" 9150) }}
    {{- if include "common.context.enabled" (dict "ctx" $.ctx "key" (printf "deployment-%s-exporter" $chart)) }}
    {{ $chart }}:
      metrics_path: {{ $job.path }}
      kubernetes_sd_configs: [{role: pod, namespaces: {own_namespace: true}}]
      relabel_configs:
        - {source_labels: [__meta_kubernetes_pod_phase], regex: Pending|Succeeded|Failed, action: drop}
        - source_labels: [__meta_kubernetes_pod_label_app_kubernetes_io_name, __meta_kubernetes_pod_container_port_name]
          regex: {{ $chart }};{{ $job.port }}
          action: keep
        - source_labels: [__meta_kubernetes_pod_name, __meta_kubernetes_pod_controller_name, __meta_kubernetes_namespace, __meta_kubernetes_pod_container_port_number]
          regex: (.+);(.+);(.+);(.+)
          replacement: ${1}.${2}-peers.${3}.svc.{{ $suffix }}:${4}
          target_label: __param_target
        - {target_label: __address__, replacement: "{{ include "common.context.name" (dict "ctx" $.ctx "key" (printf "%s-exporter" $chart)) }}.{{ $.ctx.namespace }}.svc.{{ $suffix }}:{{ $job.own }}"}
        - {source_labels: [__param_target], target_label: instance}
        - {source_labels: [__meta_kubernetes_namespace], target_label: namespace}
        - {source_labels: [__meta_kubernetes_pod_name], target_label: pod}
        - {source_labels: [__meta_kubernetes_pod_node_name], target_label: node}
        - {source_labels: [__meta_kubernetes_pod_label_app_kubernetes_io_instance], target_label: release}
        - {source_labels: [__meta_kubernetes_pod_label_app_kubernetes_io_name], target_label: chart}
        - {source_labels: [__meta_kubernetes_pod_label_app_kubernetes_io_component], target_label: component}
    {{- end }}
    {{- end }}
{{- end -}}

{{- /* The exporter's account; its password is in a variable. */ -}}
{{- define "common.config.block.mysqld_exporter" -}}
options:
  client:
    user: {{ include "common.endpoints.auth" (dict "ctx" .ctx "type" "oslo_db" "user" "monitoring" "field" "username" "default" "monitoring") }}
    {{- if .ctx.values.tls.internal }}
    ssl-ca: /etc/tls/ca.crt
    {{- end }}
{{- end -}}

{{- define "common.scripts.monitoring-account.py" -}}
"""Makes the account of the exporter in MariaDB once that answers; the account may read no table, but see what the server does at the moment."""
import os
import time

import pymysql


def make():
    {{- include "common.scripts.database" . | nindent 4 }}
    account = (os.environ["DB_USER"], os.environ["DB_PASSWORD"])
    with connection, connection.cursor() as cursor:
        cursor.execute("CREATE USER IF NOT EXISTS %s@'%%' IDENTIFIED BY %s", account)
        cursor.execute("ALTER USER %s@'%%' IDENTIFIED BY %s WITH MAX_USER_CONNECTIONS 9", account)
        cursor.execute("GRANT PROCESS, BINLOG MONITOR, REPLICA MONITOR ON *.* TO %s@'%%'", account[:1])


problem = None
while True:
    try:
        make()
        break
    except pymysql.err.Error as error:
        if str(error) != problem:
            problem = str(error)
            print(problem, flush=True)
        time.sleep(10)
print("account %s" % os.environ["DB_USER"], flush=True)
# The container goes on without the password of the administrator, and without Python.
os.execve("/bin/sh", ["sh", "-c", "trap exit TERM; sleep infinity & wait"], {})
{{ end -}}

{{- define "common.scripts.monitoring-test.py" -}}
"""Expects that Prometheus asks pods, that all of them answer, that its rules can be evaluated, and that the alert Watchdog reaches Alertmanager."""
import json
import os
import time
import urllib.request

PROMETHEUS = "http://%s:9090/api/v1/" % os.environ["PROMETHEUS"]
ALERTMANAGER = "http://%s:9093/api/v2/" % os.environ["ALERTMANAGER"]


def get(url):
    with urllib.request.urlopen(url, timeout=30) as answer:
        return json.load(answer)


def problems():
    targets = get(PROMETHEUS + "targets?state=active")["data"]["activeTargets"]
    # A standby manager of Ceph may have no metrics.
    managed = {each["labels"].get("release") for each in targets if each["labels"].get("component") == "mgr" and each["health"] == "up"}
    needed = [each for each in targets if each["labels"].get("component") != "mgr" or each["labels"].get("release") not in managed]
    found = ["%s: %s" % (each["scrapeUrl"], each["lastError"]) for each in needed if each["health"] != "up"]
    if not [each for each in targets if each["labels"]["job"] == "pods"]:
        found.append("no pod with metrics was found")
    groups = get(PROMETHEUS + "rules")["data"]["groups"]
    found += ["%s: %s" % (each["name"], each.get("lastError", "not yet evaluated")) for group in groups for each in group["rules"] if each["health"] != "ok"]
    if not [each for each in get(ALERTMANAGER + "alerts") if each["labels"]["alertname"] == "Watchdog"]:
        found.append("the alert Watchdog has not reached Alertmanager")
    return found, len(targets)


deadline = time.time() + 120
while True:
    try:
        found, count = problems()
    except OSError as error:
        found, count = [str(error)], 0
    if not found or time.time() > deadline:
        break
    time.sleep(5)
if found:
    raise SystemExit("; ".join(found))
print("%d targets answer" % count)
{{ end -}}
