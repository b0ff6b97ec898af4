{{- /*
The pods that block the drain of nodes on which instances run. Their budget is that of the component
`drain-blocker`, whose Deployment owns their ReplicaSets: without it, Kubernetes deletes them.
*/ -}}
{{- define "common.scripts.nova-drain-blocker.py" -}}
{{- $labels := dict "ctx" . "unit" (dict "key" "node-in-use") -}}
"""Blocks evictions from nodes on which instances run: keeps a pod on each that a PodDisruptionBudget protects.

`kubectl drain` and upgrades of the cluster wait for that pod, and report its name. It is a ReplicaSet's, because budgets do not
apply to the pods of DaemonSets. A pod is never replaced while instances run: a drain that waits for it would take it for evicted.
"""
import hashlib
import importlib
import re
import signal
import sys
import time
import urllib.error
import urllib.parse

{{ include "common.scripts.cluster" . }}

service_status = importlib.import_module("service-status")

IMAGE = os.environ["IMAGE"]
PULL_POLICY = {{ .values.images.pull_policy | quote }}
PULL_SECRETS = {{ .values.images.pull_secrets | default list | toJson }}
LABELS = {{ include "common.context.selector" $labels | fromYaml | toJson }}
# Kubernetes and kk find the pods by this label; its value is the name of their ReplicaSet.
BLOCKS = "kk.openstack.org/blocks-drain"
# `kubectl drain` prints the name of the pod, and not that of its budget.
NAME = "{{ .release }}-use-kk-node-drain-%s"
# With what Kubernetes appends, the name of the pod fits into 63 characters.
MOST_CHARACTERS = 57
REPLICA_SETS = "/apis/apps/v1/namespaces/%s/replicasets" % NAMESPACE
# Those of the Deployment of this pod, which name it as their owner, and those of nodes.
SELECTOR = "app.kubernetes.io/instance={{ .release }},app.kubernetes.io/component in (drain-blocker, node-in-use)"
# A host of nova with another name is no node of Kubernetes.
NODE = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
# Instances of disabled cells run, too.
CELLS = {"cells": {"section": "api_database", "query": "SELECT database_connection FROM cell_mappings"}}
# Power state 1 is running, 3 is paused (nova/compute/power_state.py).
RUNNING = (
    "SELECT host, COUNT(*) AS running FROM instances WHERE deleted = 0 AND host IS NOT NULL"
    " AND (power_state IN (1, 3) OR vm_state = 'building') GROUP BY host"
)
HOME = os.environ.get("HOME", "/tmp")
# The liveness probe, which heartbeat.sh checks.
HEARTBEAT = os.path.join(HOME, "heartbeat.%d" % os.getpid())
# The readiness probe: the time of this file lies in the future while rounds succeed.
MARK = os.path.join(HOME, "up-to-date")
FRESH_SECONDS, PERIOD_SECONDS = 60, 15


def beat():
    with open(HEARTBEAT, "w"):
        pass


def replica_set_name(node):
    name = NAME % node
    if len(name) <= MOST_CHARACTERS:
        return name
    return "%s-%s" % (name[: MOST_CHARACTERS - 9].rstrip("-."), hashlib.sha256(node.encode()).hexdigest()[:8])


def replica_set(node, owner):
    name = replica_set_name(node)
    labels = {**LABELS, BLOCKS: name}
    node_term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
    reason = "Instances run on %s: `kk node drain %s` moves them. An eviction is refused until none runs there." % (node, node)
    container = {
        "name": "node-in-use",
        "image": IMAGE,
        "imagePullPolicy": PULL_POLICY,
        "command": ["sleep", "infinity"],
        "resources": {"requests": {"cpu": "1m", "memory": "4Mi"}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
            "runAsNonRoot": True,
            "runAsUser": {{ int64 .user.id }},
        },
    }
    pod = {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "imagePullSecrets": [{"name": each} for each in PULL_SECRETS],
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        "terminationGracePeriodSeconds": 0,
        # A node that is cordoned or lost still has its instances.
        "tolerations": [{"operator": "Exists"}],
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [node_term]}}},
        "containers": [container],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        # Not `controller`: a Deployment releases ReplicaSets that its selector does not match.
        "metadata": {"name": name, "labels": labels, "ownerReferences": [owner]},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels, "annotations": {"kk.openstack.org/reason": reason}}, "spec": pod},
        },
    }


def read_hosts():
    """The number of running instances by host, and why cells could not be read."""
    hosts, unread = {}, []
    urls = service_status.databases(CELLS)
    if not urls:
        raise LookupError("nova has no cells")
    for url in urls:
        beat()
        try:
            for row in service_status.select(url, RUNNING):
                hosts[row["host"]] = hosts.get(row["host"], 0) + row["running"]
        except Exception as error:
            unread.append("a cell cannot be read: %s" % service_status.cause(error))
    return hosts, unread


def read_replica_sets():
    """The names of the ReplicaSets of nodes, and the reference to the Deployment of this pod."""
    beat()
    found = request("GET", "%s?%s" % (REPLICA_SETS, urllib.parse.urlencode({"labelSelector": SELECTOR})))["items"]
    owners = [
        {key: owner[key] for key in ("apiVersion", "kind", "name", "uid")}
        for each in found
        if BLOCKS not in each["metadata"]["labels"]
        for owner in each["metadata"].get("ownerReferences", [])
        if owner["kind"] == "Deployment"
    ]
    if not owners:
        raise LookupError("the Deployment of this pod has no ReplicaSet")
    return {each["metadata"]["name"] for each in found if BLOCKS in each["metadata"]["labels"]}, owners[0]


def attempt(done, method, path, body, already):
    """Returns the problems of a request: none either if the status is `already`, because another process was first."""
    beat()
    try:
        request(method, path, body)
        print(done, flush=True)
    except urllib.error.HTTPError as error:
        if error.code != already:
            return ["%s %s: %s" % (method, path, message_of(error))]
    except OSError as error:
        return ["%s %s: %s" % (method, path, error)]
    return []


def message_of(error):
    try:
        return json.load(error)["message"]
    except Exception:
        return str(error)


def step():
    """Blocks the nodes on which instances run, and releases those on which none runs. Returns the problems."""
    hosts, unread = read_hosts()
    nodes = {replica_set_name(host): host for host in sorted(hosts) if NODE.fullmatch(host)}
    there, owner = read_replica_sets()
    problems = list(unread)
    for name, node in nodes.items():
        if name not in there:
            done = "%s is blocked: instances run there: %d" % (node, hosts[node])
            problems += attempt(done, "POST", REPLICA_SETS, replica_set(node, owner), already=409)
    # A cell that cannot be read may have instances on any node.
    for name in sorted(there - set(nodes)) if not unread else ():
        done = "%s is deleted: no instance runs on its node" % name
        problems += attempt(done, "DELETE", "%s/%s" % (REPLICA_SETS, name), {"propagationPolicy": "Background"}, already=404)
    return problems


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    logged = []
    while True:
        beat()
        try:
            problems = step()
        except urllib.error.HTTPError as error:
            problems = [message_of(error)]
        except Exception as error:
            problems = [service_status.cause(error)]
        if problems != logged:
            for problem in problems or ["all cells and Kubernetes answer again"]:
                print(problem, file=sys.stderr, flush=True)
            logged = problems
        if not problems:
            until = time.time() + FRESH_SECONDS
            with open(MARK, "a"):
                os.utime(MARK, (until, until))
        time.sleep(PERIOD_SECONDS)


main()
{{ end -}}
