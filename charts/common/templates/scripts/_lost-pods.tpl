{{- /* Whether a pod's node is lost, for scripts that include it: is_lost(pod). */ -}}
{{- define "common.scripts.lost-pods" -}}
def is_lost(pod):
    """Whether the node has stopped to report: Kubernetes marks its pods not ready, the containers stay as they were."""
    status = pod.get("status", {})
    containers = status.get("containerStatuses", [])
    ready = [each["status"] for each in status.get("conditions", []) if each["type"] == "Ready"]
    stopped = bool(containers) and all(each["ready"] for each in containers) and ready == ["False"]
    return stopped or "deletionTimestamp" in pod["metadata"]
{{- end -}}
