{{- define "common.scripts.ovn-status.py" -}}
"""Asks the members of both databases, and whether northd and the controllers of the nodes follow a change."""
import os
import time

{{ include "common.scripts.ovsdb" . }}

DATABASES = {"OVN_Northbound": os.environ["OVN_NB_DB"].split(","), "OVN_Southbound": os.environ["OVN_SB_DB"].split(",")}
# Seconds in which northd and each controller copy it.
PATIENCE_SECONDS = 30
# Of each database a member that answered last.
working = {}
# The number that each one behind has, and since when.
behind = {}
state = {"complete": False}


def name_of(member):
    return member.split(":")[1].split(".")[0]


def database_problems(database, members):
    findings, servers = [], {}
    for member in members:
        try:
            columns = ["model", "connected", "leader", "cid"]
            servers[member] = rows(member, "_Server", "Database", columns, [["name", "==", database]])[0]
        except (OSError, IndexError):
            findings.append("%s: does not answer" % name_of(member))
    if not servers:
        raise OSError("no member of %s answers" % database)
    for member, server in servers.items():
        if not server["connected"]:
            findings.append("%s: is not connected to the cluster of %s" % (name_of(member), database))
    connected = [member for member, server in servers.items() if server["connected"]]
    if connected and len(members) == len(servers) and not any(server["leader"] for server in servers.values()):
        findings.append("%s: no member is the leader" % database)
    if len({str(server["cid"]) for server in servers.values()}) > 1:
        findings.append("%s: its members belong to several clusters" % database)
    working[database] = (connected or [None])[0]
    return findings


def is_late(name, number, wanted):
    if number >= wanted:
        behind.pop(name, None)
    elif behind.get(name, (None, 0))[0] != number:
        behind[name] = (number, time.monotonic())
    return name in behind and time.monotonic() - behind[name][1] > PATIENCE_SECONDS


def follower_problems():
    north = rows(working["OVN_Northbound"], "OVN_Northbound", "NB_Global", ["nb_cfg", "sb_cfg"])[0]
    member = working["OVN_Southbound"]
    wanted = rows(member, "OVN_Southbound", "SB_Global", ["nb_cfg"])[0]["nb_cfg"]
    chassis = rows(member, "OVN_Southbound", "Chassis_Private", ["name", "nb_cfg", "nb_cfg_timestamp"])
    hosts = {row["name"]: row["hostname"] for row in rows(member, "OVN_Southbound", "Chassis", ["name", "hostname"])}
    findings = []
    if is_late("northd", north["sb_cfg"], north["nb_cfg"]):
        findings.append("northd: does not copy changes to OVN_Southbound")
    for row in chassis:
        if is_late(row["name"], row["nb_cfg"], wanted):
            since = time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(row["nb_cfg_timestamp"] / 1000))
            findings.append("ovn-controller on %s: down, no report since %s" % (hosts.get(row["name"], row["name"]), since))
    for name in set(behind) - {"northd"} - {row["name"] for row in chassis}:
        del behind[name]
    return len(chassis), findings


def check():
    findings = [found for database, members in DATABASES.items() for found in database_problems(database, members)]
    if not all(working.values()):
        return "", findings
    nodes, late = follower_problems()
    # At first nothing is known until the number has been copied.
    is_first = increase(working["OVN_Northbound"])
    state["complete"] = state["complete"] or not (is_first or behind)
    if not state["complete"] and not findings + late:
        raise RuntimeError("northd or a node has not answered yet")
    return "members: %d, nodes: %d" % (sum(map(len, DATABASES.values())), nodes), findings + late
{{ end -}}
