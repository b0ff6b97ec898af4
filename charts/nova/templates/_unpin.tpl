{{- define "common.scripts.nova-unpin.py" -}}
"""Restarts nova's API and conductor when the oldest nova-compute has become newer.

They send the messages that the oldest nova-compute understands, and determine its version when they start
(`upgrade_levels.compute: auto`; nova/compute/rpcapi.py). The annotation of their Deployment is the version at the last look.
"""
import datetime
import importlib
import time
import urllib.error

{{ include "common.scripts.cluster" . }}

service_status = importlib.import_module("service-status")

DEPLOYMENTS = [{{ range list "api" "conductor" }}"{{ include "common.context.name" (dict "ctx" $ "key" .) }}", {{ end }}]
ANNOTATION = "kk.openstack.org/oldest-compute"
CELLS = {"cells": {"section": "api_database", "query": "SELECT database_connection FROM cell_mappings"}}
# As nova does (nova/objects/service.py: get_minimum_version_all_cells).
OLDEST = "SELECT MIN(version) AS oldest FROM services WHERE deleted = 0 AND forced_down = 0 AND `binary` = 'nova-compute'"
# One without the annotation that is younger was installed with the nova-computes that are there.
INSTALLED = datetime.timedelta(hours=1)


def oldest_compute():
    """The version of the oldest nova-compute of all cells; None if there is none."""
    rows = [row for url in service_status.databases(CELLS) for row in service_status.select(url, OLDEST)]
    return min((row["oldest"] for row in rows if row["oldest"] is not None), default=None)


{{ include "common.scripts.replicas" . }}


def look(name, oldest):
    path = "/apis/apps/v1/namespaces/%s/deployments/%s" % (NAMESPACE, name)
    try:
        metadata = request("GET", path)["metadata"]
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return
        raise
    known = metadata.get("annotations", {}).get(ANNOTATION)
    if known == str(oldest):
        return
    patch = {"metadata": {"annotations": {ANNOTATION: str(oldest)}}}
    now = datetime.datetime.now(datetime.timezone.utc)
    age = now - datetime.datetime.fromisoformat(metadata["creationTimestamp"].replace("Z", "+00:00"))
    is_pinned = int(known) < oldest if known else age > INSTALLED
    if is_pinned:
        patch["spec"] = {"template": {"metadata": {"annotations": {"kubectl.kubernetes.io/restartedAt": now.isoformat("T", "seconds")}}}}
        print("%s restarts: the oldest nova-compute is of version %d" % (name, oldest), flush=True)
    request("PATCH", path, patch)
    while is_pinned and not is_rolled_out(request("GET", path)):
        time.sleep(2)


if __name__ == "__main__":
    oldest = oldest_compute()
    for name in DEPLOYMENTS if oldest is not None else []:
        look(name, oldest)
    print("there is no nova-compute" if oldest is None else "the oldest nova-compute is of version %d" % oldest)
{{ end -}}
