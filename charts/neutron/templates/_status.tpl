{{- define "common.scripts.neutron-status.py" -}}
"""Asks OVN's database for the metadata agents of the nodes, which copy a number that OVN's own status increases each minute."""
import datetime
import os
import time

{{ include "common.scripts.ovsdb" . }}

DATABASE = "OVN_Southbound"
AGENTS = {"neutron:ovn-metadata-sb-cfg": "neutron-ovn-metadata-agent", "neutron:ovn-neutron-agent-sb-cfg": "neutron-ovn-agent"}
DOWN_SECONDS = int(os.environ["AGENT_DOWN_TIME"] or 75)
# The number is older than this only if nothing increases it, as if OVN's own status is switched off.
OLD_SECONDS = 300
# When an agent was seen to copy a number last: (chassis, key) -> (number, monotonic time, UTC).
copied = {}


def answering(database, members):
    for member in members.split(","):
        try:
            if rows(member, "_Server", "Database", ["connected"], [["name", "==", database]])[0]["connected"]:
                return member
        except (OSError, IndexError):
            continue
    raise OSError("no member of %s answers" % database)


def has_guests(member, node):
    """Whether ports of guests are on a node. One that is only for routers needs no agent."""
    where = [["chassis", "==", node["_uuid"]], ["type", "==", ""]]
    return bool(rows(member, DATABASE, "Port_Binding", ["logical_port"], where))


def check():
    if "ovn" not in os.environ["MECHANISM_DRIVERS"]:
        return "", []
    member = answering(DATABASE, os.environ["OVN_SB_DB"])
    number = rows(member, DATABASE, "SB_Global", ["nb_cfg"])[0]["nb_cfg"]
    nodes = {row["name"]: row for row in rows(member, DATABASE, "Chassis", ["_uuid", "name", "hostname"])}
    chassis = rows(member, DATABASE, "Chassis_Private", ["name", "nb_cfg_timestamp", "external_ids"])
    newest = max([row["nb_cfg_timestamp"] for row in chassis], default=0) / 1000
    if chassis and time.time() - newest > OLD_SECONDS:
        increase(answering("OVN_Northbound", os.environ["OVN_NB_DB"]))
        raise RuntimeError("no node has answered OVN within %d s, so the state of the agents is not known" % OLD_SECONDS)
    now, count, waiting, findings = time.monotonic(), 0, 0, []
    for row in chassis:
        node = nodes.get(row["name"])
        host = node["hostname"] if node else row["name"]
        present = [key for key in AGENTS if key in row["external_ids"]]
        if os.environ["METADATA"] == "true" and not present and node and has_guests(member, node):
            findings.append("neutron-ovn-metadata-agent on %s: down, it has never reported" % host)
        for key in present:
            agent = int(row["external_ids"][key])
            before = copied.get((row["name"], key))
            if before is None or before[0] != agent:
                copied[(row["name"], key)] = (agent, now, datetime.datetime.now(datetime.timezone.utc))
            _, at, since = copied[(row["name"], key)]
            # As neutron judges: an agent waits for some seconds before it copies a number.
            if number - agent > 1 and now - at <= DOWN_SECONDS:
                waiting += 1
            elif number - agent > 1:
                findings.append("%s on %s: down, no report since %s" % (AGENTS[key], host, since.strftime("%Y-%m-%d %H:%M:%SZ")))
            else:
                count += 1
    if waiting and not findings:
        raise RuntimeError("agents that have not answered yet: %d" % waiting)
    return "agents of OVN up: %d" % count, findings
{{ end -}}
