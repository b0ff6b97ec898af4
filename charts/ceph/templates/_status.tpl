{{- define "common.scripts.ceph-status.py" -}}
"""Asks the monitors for the health of the cluster."""
import json

import rados

FILES = "/var/lib/kolla/config_files"
# Warnings of data that cannot be reached or has too few copies, and of daemons that are down. Others are listed as notes.
FINDINGS = ("FS_DEGRADED", "FS_OFFLINE", "MDS_ALL_DOWN", "MGR_DOWN", "MON_DOWN", "OBJECT_UNFOUND", "OSD_FULL", "PG_AVAILABILITY", "PG_DAMAGED", "PG_DEGRADED")
cluster = None


def is_finding(code, check):
    return check["severity"] == "HEALTH_ERR" or code in FINDINGS or (code.startswith("OSD") and code.endswith("DOWN"))


def ask(**question):
    global cluster
    if cluster is None:
        found = rados.Rados(conffile=FILES + "/ceph.conf", conf={"keyring": FILES + "/ceph.client.admin.keyring"}, name="client.admin")
        found.connect(timeout=10)
        cluster = found
    code, answer, error = cluster.mon_command(json.dumps({"format": "json", **question}), b"", timeout=10)
    if code:
        cluster.shutdown()
        cluster = None
        raise RuntimeError(error or "the monitors answer with %d" % code)
    return json.loads(answer)


def check():
    health = ask(prefix="health")
    shown = {code: "%s: %s" % (code, each["summary"]["message"]) for code, each in health["checks"].items() if not each.get("muted")}
    findings = [text for code, text in shown.items() if is_finding(code, health["checks"][code])]
    notes = [text for text in shown.values() if text not in findings]
    return "; ".join([health["status"], *notes]), findings
{{ end -}}
