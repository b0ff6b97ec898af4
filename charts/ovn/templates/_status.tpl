{{- define "common.scripts.ovn-status.py" -}}
"""Asks the members of both databases, and whether northd and the controllers of the nodes follow a change."""
import os
import time

{{ include "common.scripts.ovsdb" . }}

DATABASES = {"OVN_Northbound": os.environ["OVN_NB_DB"].split(","), "OVN_Southbound": os.environ["OVN_SB_DB"].split(",")}
# Each minute the number that all of them copy is increased, as `ovn-nbctl sync` and neutron do.
PERIOD_SECONDS = 60
# Seconds in which northd and each controller copy it.
PATIENCE_SECONDS = 30
# Of each database a member that answered last.
working = {}
increased = {"number": None, "at": 0.0}


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


def increase():
    """Increases the number at most once a minute, and remembers when it was first seen."""
    member = working["OVN_Northbound"]
    read = lambda: rows(member, "OVN_Northbound", "NB_Global", ["nb_cfg", "sb_cfg"])[0]
    found = read()
    if found["nb_cfg"] == increased["number"] and time.monotonic() - increased["at"] >= PERIOD_SECONDS:
        transact(member, "OVN_Northbound", {"op": "mutate", "table": "NB_Global", "where": [], "mutations": [["nb_cfg", "+=", 1]]})
        found = read()
    if found["nb_cfg"] != increased["number"]:
        increased.update(number=found["nb_cfg"], at=time.monotonic())
    return found


def follower_problems():
    found = increase()
    is_due = time.monotonic() - increased["at"] > PATIENCE_SECONDS
    member = working["OVN_Southbound"]
    chassis = rows(member, "OVN_Southbound", "Chassis_Private", ["name", "nb_cfg", "nb_cfg_timestamp"])
    hosts = {row["name"]: row["hostname"] for row in rows(member, "OVN_Southbound", "Chassis", ["name", "hostname"])}
    findings = []
    if is_due and found["sb_cfg"] < found["nb_cfg"]:
        findings.append("northd: does not copy changes to OVN_Southbound")
    for row in chassis:
        # One number behind is normal while northd or the controller is busy.
        behind = found["sb_cfg"] - row["nb_cfg"]
        if behind > 1 or (behind > 0 and is_due):
            since = time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(row["nb_cfg_timestamp"] / 1000))
            findings.append("ovn-controller on %s: down, no report since %s" % (hosts.get(row["name"], row["name"]), since))
    return len(chassis), findings


def check():
    findings = [found for database, members in DATABASES.items() for found in database_problems(database, members)]
    if not all(working.values()):
        return "", findings
    nodes, late = follower_problems()
    return "members: %d, nodes: %d" % (sum(map(len, DATABASES.values())), nodes), findings + late
{{ end -}}
