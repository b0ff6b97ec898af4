{{- define "common.scripts.rollout.py" -}}
"""Waits until the named Deployments run nothing but the pods of their newest template."""
import sys
import time

{{ include "common.scripts.cluster" . }}


def rolled_out(name):
    deployment = request("GET", "/apis/apps/v1/namespaces/%s/deployments/%s" % (NAMESPACE, name))
    status = deployment.get("status", {})
    wanted = deployment["spec"]["replicas"]
    return (
        status.get("observedGeneration", 0) >= deployment["metadata"]["generation"]
        and status.get("updatedReplicas", 0) == wanted
        and status.get("availableReplicas", 0) == wanted
        and status.get("replicas", 0) == wanted
    )


for name in sys.argv[1:]:
    while not rolled_out(name):
        print("waiting for deployment %s" % name, flush=True)
        time.sleep(5)
{{ end -}}
