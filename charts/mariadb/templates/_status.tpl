{{- define "common.scripts.mariadb-status.py" -}}
"""Asks each member how it sees the cluster of Galera. The password is in MYSQL_PWD."""
import os
import subprocess

ASKED = ("wsrep_cluster_size", "wsrep_cluster_status", "wsrep_local_state_comment")
QUERY = "SHOW GLOBAL STATUS WHERE Variable_name IN ('%s')" % "', '".join(ASKED)


def ask(host, port):
    """What a member answers, or None."""
    command = [
        "mariadb", "--host=" + host, "--port=" + port, "--user=" + os.environ["DB_USER"], "--connect-timeout=5",
        {{- if .values.tls.internal }}
        "--ssl-ca=/etc/tls/ca.crt",
        {{- end }}
        "--batch", "--skip-column-names", "--execute=" + QUERY,
    ]
    try:
        answer = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=10)
    except subprocess.TimeoutExpired:
        return None
    return dict(line.split("\t") for line in answer.stdout.splitlines()) if answer.returncode == 0 else None


def problems(name, answer, size):
    if answer is None:
        return ["%s: does not answer" % name]
    cluster, state = answer["wsrep_cluster_status"], answer["wsrep_local_state_comment"]
    found = []
    if cluster != "Primary":
        found.append("%s: is in a part of the cluster without a majority (%s)" % (name, cluster))
    # A donor continues to serve while another member copies its data.
    if state not in ("Synced", "Donor/Desynced"):
        found.append("%s: is not synced (%s)" % (name, state))
    if int(answer["wsrep_cluster_size"]) != size:
        found.append("%s: sees %s of %d members" % (name, answer["wsrep_cluster_size"], size))
    return found


def check():
    addresses = [member.rsplit(":", 2)[1:] for member in os.environ["MEMBERS"].split(",")]
    answers = {host.split(".")[0]: ask(host, port) for host, port in addresses}
    if not any(answers.values()):
        raise RuntimeError("no member answers")
    findings = [found for name, answer in answers.items() for found in problems(name, answer, len(answers))]
    return "members that answer: %d" % sum(answer is not None for answer in answers.values()), findings
{{ end -}}
