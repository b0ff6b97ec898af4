{{- /*
The authority of the nodes' certificates. Its key is in a Secret that no pod mounts, and that only the signer
may read.
*/ -}}
{{- define "common.scripts.libvirt-signer.py" -}}
"""Signs the certificates with which libvirt of one node migrates guests to another.

A request is signed if the pod of libvirt made it, for the node on which it runs (the API server writes both into it), and for
the names and addresses of that node. An address in a network for migrations, which Kubernetes does not know, belongs to the
node that requested it first, as long as that node exists.
"""
import base64
import ipaddress
import re
import signal
import sys
import tempfile
import time
import urllib.error
import urllib.parse

{{ include "common.scripts.cluster" . }}
{{ include "common.scripts.libvirt-certificates" . }}

REQUESTER = "system:serviceaccount:%s:%s" % (NAMESPACE, os.environ["REQUESTER"])
NODE_OF_TOKEN = "authentication.kubernetes.io/node-name"
SECRETS = "/api/v1/namespaces/%s/secrets/" % NAMESPACE
AUTHORITY_SECRET = SECRETS + os.environ["AUTHORITY"]
NODES_SECRET = SECRETS + os.environ["NODES"]
# The readiness probe: the time of this file lies in the future while rounds succeed.
MARK = "/tmp/signing"
FRESH_SECONDS, PERIOD_SECONDS = 60, 2
directory = pathlib.Path(tempfile.mkdtemp())


class Refused(Exception):
    pass


def decode(text):
    return base64.b64decode(text or "").decode()


def encode(text):
    return base64.b64encode(text.encode()).decode()


def change(path, secret, data):
    """Changes a Secret; fails if it has changed since it was read."""
    version = {"resourceVersion": secret["metadata"]["resourceVersion"]}
    request("PATCH", path, {"metadata": version, "data": {name: encode(text) for name, text in data.items()}})


def load_authority():
    """Writes the authority to this pod's files. The first signer makes it; another one that tries loads it in the next round."""
    names = ("ca.crt", "ca.key")
    secret = request("GET", AUTHORITY_SECRET)
    if not secret.get("data"):
        with tempfile.TemporaryDirectory() as made:
            make_authority(pathlib.Path(made), "libvirt of %s" % NAMESPACE)
            change(AUTHORITY_SECRET, secret, {name: (pathlib.Path(made) / name).read_text() for name in names})
        print("made the authority", flush=True)
        secret = request("GET", AUTHORITY_SECRET)
    for name in names:
        (directory / name).write_text(decode(secret["data"][name]))


def requested(text):
    """The names and addresses of a request."""
    shown = openssl("req", "-noout", "-text", text=text)
    if "CA:TRUE" in shown:
        raise Refused("it requests a certificate of an authority")
    found = re.search(r"Subject Alternative Name:[^\n]*\n\s*(\S[^\n]*)", shown)
    names, addresses = [], []
    for each in found.group(1).split(", ") if found else []:
        kind, _, value = each.partition(":")
        if kind == "DNS":
            names.append(value)
        elif kind == "IP Address":
            addresses.append(str(ipaddress.ip_address(value)))
        else:
            raise Refused("it requests the name %s" % each)
    return names, addresses


def is_addressed(node, address):
    shown = [each["address"] for each in node.get("status", {}).get("addresses", [])]
    return address in shown


def holder_of(address, node, records):
    """Another node that has this address, or has requested it."""
    nodes = {each["metadata"]["name"]: each for each in request("GET", "/api/v1/nodes")["items"]}
    for name, each in nodes.items():
        if name != node and (is_addressed(each, address) or address in records.get(name, {}).get("addresses", [])):
            return name
    return None


def judge(spec, node, records):
    """Returns the names and addresses of the certificate; raises Refused."""
    if not set(spec.get("usages", [])) <= set(USAGES):
        raise Refused("it requests the usages %s" % ", ".join(spec["usages"]))
    text = decode(spec["request"])
    names, addresses = requested(text)
    shown = openssl("req", "-noout", "-subject", "-nameopt", "RFC2253", text=text).strip().partition("=")[2].strip()
    if shown != subject(node):
        raise Refused("its subject is %s, and its node is %s" % (shown, node))
    found = request("GET", "/api/v1/nodes/" + urllib.parse.quote(node, safe=""))
    hosts = [each["address"] for each in found["status"].get("addresses", []) if each["type"] in ("Hostname", "InternalDNS")]
    for name in names:
        if name not in [node, *hosts]:
            raise Refused("%s is no name of node %s" % (name, node))
    networks = [ipaddress.ip_network(each) for each in SETTINGS["networks"]]
    for address in addresses:
        if is_addressed(found, address):
            continue
        if not any(ipaddress.ip_address(address) in network for network in networks):
            raise Refused("%s is no address of node %s" % (address, node))
        holder = holder_of(address, node, records)
        if holder:
            raise Refused("%s is the address of node %s" % (address, holder))
    if node not in names or not addresses:
        raise Refused("it lacks the name of node %s, or an address" % node)
    return names, addresses


def sign(spec, node):
    """Returns the certificate, with the authority after it."""
    secret = request("GET", NODES_SECRET)
    records = json.loads(decode((secret.get("data") or {}).get("nodes.json")) or "{}")
    try:
        names, addresses = judge(spec, node, records)
    except Refused as refusal:
        records[node] = {**records.get(node, {}), "refused": str(refusal)}
        change(NODES_SECRET, secret, {"nodes.json": json.dumps(records)})
        raise
    certificate = issue(directory, decode(spec["request"]), ["DNS:" + name for name in names] + ["IP:" + each for each in addresses])
    # Before it is given out: an address belongs to one node.
    records[node] = {"addresses": addresses, "until": int(time.time()) + SETTINGS["days"] * 86400}
    change(NODES_SECRET, secret, {"nodes.json": json.dumps(records)})
    return certificate + (directory / "ca.crt").read_text()


def node_of(spec):
    if spec.get("username") != REQUESTER:
        raise Refused("it is made by %s, not by the pod of libvirt (%s)" % (spec.get("username"), REQUESTER))
    nodes = (spec.get("extra") or {}).get(NODE_OF_TOKEN, [])
    if len(nodes) != 1:
        raise Refused("its token names no node: Kubernetes 1.30 or later is needed, and a token of a pod")
    return nodes[0]


def answer(asked):
    name, spec = asked["metadata"]["name"], asked["spec"]
    conditions = asked.get("status", {}).get("conditions", [])
    is_approved = any(each["type"] == "Approved" for each in conditions)
    path = "%s/%s/" % (REQUESTS, name)
    try:
        node = node_of(spec)
        certificate = sign(spec, node)
    except (Refused, RuntimeError, ValueError) as error:
        # One that a person has approved can only fail.
        refusal = {"type": "Failed" if is_approved else "Denied", "status": "True", "reason": "Refused", "message": str(error)}
        request("PATCH", path + ("status" if is_approved else "approval"), {"status": {"conditions": [*conditions, refusal]}})
        print("%s of %s is refused: %s" % (name, spec.get("username"), error), flush=True)
        return
    if not is_approved:
        approval = {"type": "Approved", "status": "True", "reason": "NodeVerified", "message": "libvirt on node %s" % node}
        request("PATCH", path + "approval", {"status": {"conditions": [approval]}})
    request("PATCH", path + "status", {"status": {"certificate": encode(certificate)}})
    print("%s is signed for node %s" % (name, node), flush=True)


def is_open(asked):
    status = asked.get("status", {})
    return not status.get("certificate") and not any(each["type"] in ("Denied", "Failed") for each in status.get("conditions", []))


def round():
    query = urllib.parse.urlencode({"fieldSelector": "spec.signerName=" + SIGNER})
    for asked in filter(is_open, request("GET", "%s?%s" % (REQUESTS, query))["items"]):
        try:
            answer(asked)
        except urllib.error.HTTPError as error:
            # Another signer, such as the one before an upgrade, may have answered.
            if error.code not in (404, 409, 422):
                raise
    until = time.time() + FRESH_SECONDS
    with open(MARK, "a"):
        os.utime(MARK, (until, until))


os.umask(0o077)
signal.signal(signal.SIGTERM, lambda *_: sys.exit())
while True:
    try:
        if not (directory / "ca.key").exists():
            load_authority()
        round()
    except OSError as error:
        print(error, file=sys.stderr, flush=True)
    time.sleep(PERIOD_SECONDS)
{{ end -}}

{{- define "common.scripts.libvirt-status.py" -}}
"""Compares the pods of libvirt with the certificates that the signer has issued: a node without one takes part in no migration."""
import base64
import datetime
import time
import urllib.parse

{{ include "common.scripts.cluster" . }}

PODS = "app.kubernetes.io/instance={{ .release }},app.kubernetes.io/component=libvirt"
# In which a new node gets one.
START_SECONDS = 120


{{ include "common.scripts.lost-pods" . }}


def is_new(pod):
    made = datetime.datetime.fromisoformat(pod["metadata"]["creationTimestamp"].replace("Z", "+00:00"))
    return time.time() - made.timestamp() < START_SECONDS


def problem(record):
    if "refused" in record:
        return "its request for a certificate is refused: %s" % record["refused"]
    if record.get("until", 0) < time.time():
        return "its certificate has expired" if "until" in record else "it has requested no certificate"
    return None


def check():
    secret = request("GET", "/api/v1/namespaces/%s/secrets/%s" % (NAMESPACE, os.environ["NODES"]))
    records = json.loads(base64.b64decode((secret.get("data") or {}).get("nodes.json", "")) or b"{}")
    query = urllib.parse.urlencode({"labelSelector": PODS})
    pods = request("GET", "/api/v1/namespaces/%s/pods?%s" % (NAMESPACE, query))["items"]
    count, earlier, waiting, findings = 0, 0, [], []
    for pod in pods:
        node = pod["spec"].get("nodeName")
        if node is None or is_lost(pod):
            continue
        # Of an earlier chart, until its pod is replaced; a node that is cordoned keeps it for as long.
        if pod["spec"]["serviceAccountName"] != os.environ["REQUESTER"]:
            earlier += 1
            continue
        found = problem(records.get(node, {}))
        if found is None:
            count += 1
        elif node not in records and is_new(pod):
            waiting.append(node)
        else:
            findings.append("%s takes part in no migration: %s" % (node, found))
    if waiting and not findings:
        raise RuntimeError("%s has no certificate yet" % ", ".join(sorted(waiting)))
    return "nodes for migrations: %d%s" % (count, ", with an earlier libvirt: %d" % earlier if earlier else ""), sorted(findings)
{{ end -}}
