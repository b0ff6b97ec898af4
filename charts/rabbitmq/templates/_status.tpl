{{- define "common.scripts.rabbitmq-status.py" -}}
"""Asks the management API for the members and the queues, without their statistics."""
import base64
import json
import os
import urllib.request

LOGIN = "%s:%s" % (os.environ["USERNAME"], os.environ["PASSWORD"])
HEADERS = {"Authorization": "Basic " + base64.b64encode(LOGIN.encode()).decode()}
MEMBERS = len(os.environ["MEMBERS"].split(","))


def get(path):
    url = "{{ ternary "https" "http" .values.tls.internal }}://%s:%s/api/%s" % (os.environ["HOST"], os.environ["PORT"], path)
    with urllib.request.urlopen(urllib.request.Request(url, headers=HEADERS), timeout=10) as answer:
        return json.load(answer)


def short(name):
    """The pod of a member: `rabbit@POD.SERVICE…`."""
    return name.split("@")[-1].split(".")[0]


def member_problems(nodes):
    found = []
    for node in nodes:
        name = short(node["name"])
        if not node.get("running"):
            found.append("%s: does not run" % name)
        if node.get("partitions"):
            found.append("%s: is separated from %s" % (name, ", ".join(map(short, node["partitions"]))))
        for alarm, what in (("mem_alarm", "memory"), ("disk_free_alarm", "free disk space")):
            if node.get(alarm):
                found.append("%s: publishers wait, because of its %s" % (name, what))
    if len(nodes) < MEMBERS:
        found.append("the cluster has %d of %d members" % (len(nodes), MEMBERS))
    return found


def queue_problem(queue):
    replicas, online = queue.get("members") or [], queue.get("online") or []
    if replicas and not queue.get("leader"):
        return "has no leader"
    if len(online) < len(replicas):
        return "%d of %d replicas are online" % (len(online), len(replicas))
    if queue.get("state") in ("crashed", "down", "stopped"):
        return "is %s" % queue["state"]
    return None


def check():
    findings = member_problems(get("nodes?columns=name,running,partitions,mem_alarm,disk_free_alarm"))
    queues = get("queues?disable_stats=true&enable_queue_totals=true")
    # Many queues have one cause: they are listed by it.
    causes = {}
    for queue in queues:
        problem = queue_problem(queue)
        if problem:
            causes.setdefault(problem, []).append(queue["name"])
    for problem, names in causes.items():
        more = " and %d more" % (len(names) - 3) if len(names) > 3 else ""
        findings.append("queue %s%s: %s" % (", ".join(names[:3]), more, problem))
    few = sum(0 < len(queue.get("members") or []) < MEMBERS for queue in queues)
    note = ", with fewer replicas than the cluster has members: %d" % few if few else ""
    # The API may have null instead of them: for seconds while queues are deleted, and once for half an hour.
    hidden = [queue["name"] for queue in queues if None in (queue.get("members", []), queue.get("online", []))]
    note += ", with unknown replicas: %s" % ", ".join(hidden[:3]) if hidden else ""
    return "members: %d, queues: %d%s" % (MEMBERS, len(queues), note), findings
{{ end -}}
