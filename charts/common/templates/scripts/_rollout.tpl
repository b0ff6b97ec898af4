{{- define "common.scripts.rollout.py" -}}
"""Waits until the named workloads, such as `deployments/nova-api`, run nothing but the pods of their newest template."""
import sys
import time
import urllib.error

{{ include "common.scripts.cluster" . }}


REPLICAS = ("replicas", "updatedReplicas", "availableReplicas")
ON_NODES = ("currentNumberScheduled", "updatedNumberScheduled", "numberAvailable")


def rolled_out(workload):
    try:
        found = request("GET", "/apis/apps/v1/namespaces/%s/%s" % (NAMESPACE, workload))
    except urllib.error.HTTPError as error:
        # Helm makes workloads before jobs: one that is missing is switched off.
        if error.code == 404:
            return True
        raise
    status = found.get("status", {})
    counts, wanted = REPLICAS, found["spec"].get("replicas")
    if workload.startswith("daemonsets/"):
        counts, wanted = ON_NODES, status.get("desiredNumberScheduled")
    is_seen = status.get("observedGeneration", 0) >= found["metadata"]["generation"]
    return is_seen and all(status.get(count, 0) == wanted for count in counts)


for workload in sys.argv[1:]:
    while not rolled_out(workload):
        print("waiting for %s" % workload, flush=True)
        time.sleep(5)
{{ end -}}
