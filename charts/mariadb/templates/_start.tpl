{{- /*
The start of a member: it joins a running cluster. If there is none, the members exchange their positions, and
the one with the newest data starts the cluster; none does while a member is silent, which may have newer
data.
*/ -}}
{{- define "common.scripts.mariadb-start.py" -}}
"""Starts a member of the database: it joins the others, or starts the cluster if it has the newest data."""
import json
import os
import pathlib
import re
import socket
import socketserver
import subprocess
import sys
import threading
import time

NAME = os.environ["POD_NAME"]
ADDRESS = os.environ["POD_IP"]
PORT = {{ dig "server" "ports" "election" 4569 .root.Values.components | int }}
DATA = pathlib.Path("/var/lib/mysql")
GRASTATE = DATA / "grastate.dat"
# If this file exists, this member starts the cluster, whatever data the silent members have.
ORDER = DATA / "begin-without-others"
MEMBERS = pathlib.Path("/var/lib/kolla/config_files/members.json")
NONE = "00000000-0000-0000-0000-000000000000"


said = None


def say(text):
    """Prints a message unless it repeats the last one: the loop runs every second."""
    global said
    if text != said:
        print(text, flush=True)
    said = text


def knowledge():
    """The position of this member. It has no history if it was never in a cluster, or ended while it copied another's data."""
    known = {"name": NAME, "data": (DATA / "mysql").is_dir(), "history": None, "seqno": -1, "last": False}
    if not known["data"] or not GRASTATE.exists():
        return known
    saved = dict(re.findall(r"^(\w+):\s+(\S+)$", GRASTATE.read_text(), re.MULTILINE))
    if "uuid" not in saved:
        sys.exit("%s names no uuid: remove it, and this member copies its data from another" % GRASTATE)
    if saved["uuid"] == NONE:
        return known
    seqno = int(saved["seqno"])
    if seqno < 0:
        history, recovered = recover()
        seqno = recovered if history == saved["uuid"] else -1
    return {**known, "history": saved["uuid"], "seqno": seqno, "last": saved.get("safe_to_bootstrap") == "1"}


def recover():
    """The last change that the data has, after a crash: (history, seqno)."""
    server = subprocess.run(["mariadbd", "--wsrep-recover", "--disable-log-error"], stderr=subprocess.PIPE, text=True)
    found = re.findall(r"Recovered position: ([0-9a-f-]+):(-?\d+)", server.stderr)
    if not found:
        sys.exit("%s\nmariadbd reported no position: exit code %s" % (server.stderr, server.returncode))
    return found[-1][0], int(found[-1][1])


class Answer(socketserver.BaseRequestHandler):
    def handle(self):
        self.request.sendall(json.dumps(self.server.known).encode())


class Server(socketserver.ThreadingTCPServer):
    address_family = socket.AF_INET6 if ":" in ADDRESS else socket.AF_INET
    allow_reuse_address = True
    daemon_threads = True


def serve(known):
    server = Server((ADDRESS, PORT), Answer)
    server.known = known
    threading.Thread(target=server.serve_forever, daemon=True).start()


def resolve(host):
    """The addresses of a name, or None if DNS is unavailable."""
    try:
        return {entry[4][0] for entry in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)}
    except socket.gaierror as error:
        return None if error.errno == socket.EAI_AGAIN else set()


def others():
    """Name and address of the other members; without an address for one that does not exist. The Service also finds
    members that are terminating, or that are not in the list yet."""
    wanted = json.loads(MEMBERS.read_text())
    listed = {name: resolve(name) or {None} for name in wanted["members"] if name.split(".")[0] != NAME}
    members = {name: min(addresses, default=None) for name, addresses in listed.items()}
    present = resolve(wanted["service"])
    if present is None:
        return {**members, wanted["service"]: None}
    return {**members, **{address: address for address in present - {ADDRESS, *members.values()}}}


def ask(address):
    """The position of a member that waits as this one does; None from any other."""
    try:
        with socket.create_connection((address, PORT), timeout=3) as member:
            return json.loads(member.makefile().read())
    except (OSError, ValueError):
        return None


def runs(address):
    """Whether the member there is in a cluster that may change data."""
    query = "--execute=SHOW STATUS LIKE 'wsrep_cluster_status'"
    port = "--port={{ include "common.endpoints.port" (dict "ctx" . "type" "oslo_db" "interface" "service") }}"
    command = ["mariadb", "--user=root", "--host=" + address, port, "--connect-timeout=3", "--batch", query]
    answer = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return "Primary" in answer.stdout.split()


def chosen(known):
    """The name of the member that starts the cluster: the first of those with the newest data. None if their histories differ, or none has data."""
    histories = {member["history"] for member in known if member["history"]}
    able = [member for member in known if member["data"] and (member["history"] or not histories)]
    if len(histories) > 1 or not able:
        return None
    return min(able, key=lambda member: (-member["seqno"], int(member["name"].rpartition("-")[2])))["name"]


def join(addresses, known):
    ORDER.unlink(missing_ok=True)
    say("joining %s" % ", ".join(addresses))
    start(known, "--wsrep-cluster-address=gcomm://" + ",".join(map(bracketed, addresses)))


def begin(known, is_new):
    """Starts the cluster. With a new history, the others copy all data, and lose changes that this member does not have."""
    ORDER.unlink(missing_ok=True)
    say("starting the cluster with %s" % ("a new history" if is_new else "the last change of all members"))
    if is_new:
        GRASTATE.unlink(missing_ok=True)
    elif GRASTATE.exists():
        GRASTATE.write_text(GRASTATE.read_text().replace("safe_to_bootstrap: 0", "safe_to_bootstrap: 1"))
    start({} if is_new else known, "--wsrep-new-cluster")


def start(known, *options):
    # With this file, mariadbd would restore the old cluster without asking the other members.
    (DATA / "gvwstate.dat").unlink(missing_ok=True)
    if known.get("history"):
        options = ("--wsrep-start-position=%(history)s:%(seqno)d" % known, *options)
    node = ["--wsrep-node-name=" + NAME, "--wsrep-node-address=" + bracketed(ADDRESS)]
    {{- if .values.tls.internal }}
    # Not in my.cnf: the script of the first start has no certificate authority.
    node += ["--ssl-cert=/etc/tls/tls.crt", "--ssl-key=/etc/tls/tls.key", "--require-secure-transport"]
    {{- end }}
    os.execvp("mariadbd", ["mariadbd", *node, *options])


def bracketed(address):
    return "[%s]" % address if ":" in address else address


own = knowledge()
say("this member has change %(seqno)d of history %(history)s" % own)
serve(own)
while True:
    members = others()
    answers = {name: ask(address) for name, address in members.items() if address}
    silent = [name for name in members if not answers.get(name)]
    if any(members[name] and runs(members[name]) for name in silent):
        join([address for address in members.values() if address], own)
    if ORDER.exists() and own["data"]:
        begin(own, is_new=True)
    if silent:
        say("waiting for %s, which may have newer data; if its data is lost for good: touch %s" % (", ".join(silent), ORDER))
    else:
        first = chosen([own, *answers.values()])
        if first == NAME:
            # A single member that was not the last one may lack changes of the others.
            begin(own, is_new=not members and own["history"] is not None and not own["last"])
        if first:
            say("waiting for %s, which starts the cluster" % first)
        else:
            say("the members have no data, or different histories: touch %s in the one that should start the cluster" % ORDER)
    time.sleep(1)
{{ end -}}
