{{- /* Whether a workload's replicas are all new and available, for scripts that include it: is_rolled_out(workload). */ -}}
{{- define "common.scripts.replicas" -}}
def is_seen(workload):
    """Whether its controller has seen the last change."""
    return workload.get("status", {}).get("observedGeneration", 0) >= workload["metadata"]["generation"]


def is_rolled_out(workload):
    """Whether a Deployment or StatefulSet runs nothing but available pods of its newest template."""
    counts = (workload.get("status", {}).get(count, 0) for count in ("replicas", "updatedReplicas", "availableReplicas"))
    return is_seen(workload) and all(count == workload["spec"].get("replicas") for count in counts)
{{- end -}}

{{- define "common.scripts.rollout.py" -}}
"""Waits until the named workloads, such as `deployments/nova-api`, run nothing but the pods of their newest template."""
import sys
import time
import urllib.error
import urllib.parse

{{ include "common.scripts.cluster" . }}


{{ include "common.scripts.replicas" . }}


def ready(found):
    """Whether a pod or a node is ready."""
    return any(each["type"] == "Ready" and each["status"] == "True" for each in found.get("status", {}).get("conditions", []))


def on_each_node(found):
    """Whether the pod of each node is new and ready; not those of nodes that are not ready, which are replaced when these are back."""
    labels = found["spec"]["selector"]["matchLabels"]
    query = urllib.parse.urlencode({"labelSelector": ",".join("%s=%s" % label for label in labels.items())})
    pods = request("GET", "/api/v1/namespaces/%s/pods?%s" % (NAMESPACE, query))["items"]
    nodes = request("GET", "/api/v1/nodes")["items"]
    reporting = {node["metadata"]["name"] for node in nodes if ready(node)}
    # An outage of many, in which Kubernetes does not evict pods either (node_lifecycle_controller.go: ComputeZoneState).
    away = len(nodes) - len(reporting)
    if not reporting or (away > 2 and away >= 0.55 * len(nodes)):
        return False
    owned = [pod for pod in pods if pod["metadata"].get("ownerReferences", [{}])[0].get("uid") == found["metadata"]["uid"]]
    # One without a node is not scheduled yet.
    present = [pod for pod in owned if pod["spec"].get("nodeName") in reporting | {None}]
    wanted, scheduled = (found.get("status", {}).get(count, 0) for count in ("desiredNumberScheduled", "currentNumberScheduled"))
    return scheduled >= wanted and len(owned) >= scheduled and all(map(ready, present)) and not old_ones(found, owned, present)


def label(pod, name):
    return pod["metadata"].get("labels", {}).get(name)


def old_ones(found, owned, present):
    """The present pods of an older template. One that is applied again has the hash of its first time (Kubernetes 1.36: daemonset_util.go)."""
    status = found.get("status", {})
    if status.get("updatedNumberScheduled", 0) >= status.get("desiredNumberScheduled", 0):
        return []
    newest = found["metadata"].get("annotations", {}).get("deprecated.daemonset.template.generation")
    hashes = {label(pod, "controller-revision-hash") for pod in owned if label(pod, "pod-template-generation") == newest}
    return [pod for pod in present if label(pod, "controller-revision-hash") not in hashes]


def rolled_out(workload):
    try:
        found = request("GET", "/apis/apps/v1/namespaces/%s/%s" % (NAMESPACE, workload))
    except urllib.error.HTTPError as error:
        # Helm makes workloads before jobs: one that is missing is switched off.
        if error.code == 404:
            return True
        raise
    if workload.startswith("daemonsets/"):
        return is_seen(found) and on_each_node(found)
    return is_rolled_out(found)


for workload in sys.argv[1:]:
    # The controller counts the pods of a DaemonSet some time after they are gone.
    looks = 2 if workload.startswith("daemonsets/") else 1
    while looks:
        if rolled_out(workload):
            looks -= 1
        else:
            print("waiting for %s" % workload, flush=True)
        if looks:
            time.sleep(5)
{{ end -}}
