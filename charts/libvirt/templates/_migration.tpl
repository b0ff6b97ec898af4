{{- /* "true" if migrations are encrypted: unless the deployer has stated otherwise. */ -}}
{{- define "libvirt.migration.tls" -}}
{{- if ne (dig "migration" "tls" true (.Values.conf | default dict) | toString) "false" -}}true{{- end -}}
{{- end -}}

{{- /* Without encryption there are no certificates: neither a signer nor anything to ask it. */ -}}
{{- define "libvirt.migration.components" -}}
{{- if not (include "libvirt.migration.tls" .) -}}
{{- $_ := unset .Values.components "signer" -}}
{{- $_ := unset .Values "service_status" -}}
{{- $_ := unset .Values "generated" -}}
{{- $_ := unset .Values.components.libvirt "rbac" -}}
{{- end -}}
{{- end -}}

{{- /*
How libvirtd (`of: libvirtd`) and QEMU (`of: qemu`) take part in migrations. QEMU reads its certificate when a
migration starts, perhaps in the mount namespace of an earlier pod: its directory is on the node.
*/ -}}
{{- define "common.config.block.migration" -}}
{{- $tls := not (empty (include "libvirt.migration.tls" .ctx.root)) -}}
options:
{{- if eq .params.of "libvirtd" }}
  listen_tls: {{ ternary 1 0 $tls }}
  listen_tcp: {{ ternary 0 1 $tls }}
  auth_tls: none
  auth_tcp: none
{{- else if $tls }}
  migrate_tls_x509_cert_dir: /var/lib/libvirt/pki/current
  migrate_tls_x509_verify: 1
  migrate_tls_force: 1
{{- else }}
  migrate_tls_force: 0
{{- end }}
{{- end -}}

{{- /* The names and files of certificates, for scripts that include it; the signer has Python and openssl only. */ -}}
{{- define "common.scripts.libvirt-certificates" -}}
import json
import os
import pathlib
import secrets
import subprocess

SIGNER = "{{ .values.signer }}"
REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
USAGES = ["client auth", "digital signature", "key encipherment", "server auth"]
AUTHORITY = """
[req]
distinguished_name = name
[name]
[authority]
basicConstraints = critical, CA:TRUE, pathlen:0
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
"""
NODE = """
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature, keyEncipherment
extendedKeyUsage = serverAuth, clientAuth
authorityKeyIdentifier = keyid
subjectAltName = %s
"""

with open("/var/lib/kolla/config_files/migration.json") as file:
    SETTINGS = json.load(file)


def openssl(*arguments, text=None):
    done = subprocess.run(["openssl", *map(str, arguments)], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise RuntimeError("openssl %s: %s" % (arguments[0], (done.stderr.strip().splitlines() or ["failed"])[-1]))
    return done.stdout


def make_key(path):
    openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", path)
    os.chmod(path, 0o400)


def make_authority(directory, name):
    """Makes the key and the certificate of an authority of ten years, ca.key and ca.crt."""
    make_key(directory / "ca.key")
    (directory / "ca.cnf").write_text(AUTHORITY)
    options = ("-config", directory / "ca.cnf", "-extensions", "authority", "-days", 3650, "-subj", "/CN=" + name[:64])
    openssl("req", "-x509", "-new", "-key", directory / "ca.key", "-out", directory / "ca.crt", *options)


def subject(node):
    return "CN=" + node[:64]


def make_request(key, node, addresses):
    names = ",".join(["DNS:" + node, *("IP:" + each for each in addresses)])
    return openssl("req", "-new", "-key", key, "-subj", "/" + subject(node), "-addext", "subjectAltName=" + names)


def issue(directory, request, names):
    """Returns a certificate for these names by the authority in a directory; only the key is taken from the request."""
    (directory / "node.cnf").write_text(NODE % ", ".join(names))
    issuer = ("-CA", directory / "ca.crt", "-CAkey", directory / "ca.key", "-set_serial", "0x" + secrets.token_hex(16))
    options = ("-days", SETTINGS["days"], "-extfile", directory / "node.cnf")
    return openssl("x509", "-req", *issuer, *options, text=request)
{{- end -}}

{{- define "common.scripts.libvirt-migration.py" -}}
"""Prepares this node for migrations: libvirt-migration.py prepare|renew

`prepare`, before libvirtd starts, writes what differs between nodes: the identity of libvirt, and the address for migrations.
It fails if this node can take part in none. `renew` requests a certificate of the signer for as long as libvirtd runs. Until
there is one, libvirtd has a certificate that no other node accepts, which it replaces without a restart.
"""
import base64
import ipaddress
import shutil
import sys
import tempfile
import time
import urllib.error
import uuid

{{ include "common.scripts.cluster" . }}
{{ include "common.scripts.libvirt-certificates" . }}

NODE_NAME = os.environ["NODE_NAME"]
TLS = {{ ternary "True" "False" (not (empty (include "libvirt.migration.tls" .root))) }}
PKI = pathlib.Path("/var/lib/libvirt/pki")
CURRENT = PKI / "current"
LIBVIRTD = pathlib.Path("/etc/libvirt/libvirtd.conf")
QEMU = pathlib.Path("/etc/libvirt/qemu.conf")
# For nova-compute: options of its section [libvirt].
RESULT = pathlib.Path("/run/libvirt/migration")
# The files that libvirtd reads, and those of QEMU, which they are.
LINKS = {
    "/etc/pki/CA/cacert.pem": "ca-cert.pem",
    "/etc/pki/libvirt/servercert.pem": "server-cert.pem",
    "/etc/pki/libvirt/clientcert.pem": "server-cert.pem",
    "/etc/pki/libvirt/private/serverkey.pem": "server-key.pem",
    "/etc/pki/libvirt/private/clientkey.pem": "server-key.pem",
}
ANSWER_SECONDS, RETRY_SECONDS, PERIOD_SECONDS = 120, 60, 300


class Refused(Exception):
    pass


def set_missing(path, options):
    """Adds options to a file of libvirt's, except those that the deployer has stated."""
    text = path.read_text()
    stated = {line.split("=")[0].strip() for line in text.splitlines()}
    lines = ["%s = %s\n" % (name, json.dumps(value)) for name, value in options.items() if name not in stated]
    path.write_text("".join([text.rstrip("\n") + "\n", *lines]))


def own_address():
    networks = [ipaddress.ip_network(each) for each in SETTINGS["networks"]]
    if not networks:
        return os.environ["POD_IP"]
    shown = subprocess.run(["ip", "-json", "address", "show"], stdout=subprocess.PIPE, check=True).stdout
    for interface in json.loads(shown):
        for each in interface["addr_info"]:
            if each["scope"] == "global" and any(ipaddress.ip_address(each["local"]) in network for network in networks):
                return each["local"]
    raise SystemExit("%s has no address in %s (conf.migration.networks) and takes part in no migration" % (NODE_NAME, ", ".join(SETTINGS["networks"])))


def permits_post_copy():
    """Whether QEMU, which is not root, handles page faults of its guests: by this device, or by a setting of the node."""
    with open("/proc/misc") as file:
        numbers = [line.split()[0] for line in file if line.split()[1:] == ["userfaultfd"]]
    for number in numbers:
        device = pathlib.Path("/dev/userfaultfd")
        device.unlink(missing_ok=True)
        os.mknod(device, 0o20600, os.makedev(10, int(number)))
        shutil.chown(device, "root", "nova")
        os.chmod(device, 0o660)
        return True
    setting = pathlib.Path("/proc/sys/vm/unprivileged_userfaultfd")
    return setting.exists() and setting.read_text().strip() == "1"


def is_usable(seconds=0):
    """Whether there is a certificate that is valid for so long."""
    try:
        openssl("verify", "-CAfile", CURRENT / "ca-cert.pem", CURRENT / "server-cert.pem")
        openssl("x509", "-noout", "-checkend", seconds, "-in", CURRENT / "server-cert.pem")
        return True
    except RuntimeError:
        return False


def new_directory():
    PKI.mkdir(exist_ok=True)
    os.chmod(PKI, 0o755)
    return pathlib.Path(tempfile.mkdtemp(dir=PKI))


def install(directory, certificate, authority):
    """Replaces key and certificate at once. QEMU, which reads them itself, is not root."""
    (directory / "server-cert.pem").write_text(certificate)
    (directory / "ca-cert.pem").write_text(authority)
    for name in ("server-cert.pem", "ca-cert.pem"):
        os.chmod(directory / name, 0o444)
    for kind in ("cert", "key"):
        (directory / ("client-%s.pem" % kind)).symlink_to("server-%s.pem" % kind)
    shutil.chown(directory / "server-key.pem", "nova", "nova")
    os.chmod(directory, 0o755)
    draft = PKI / "current.new"
    draft.unlink(missing_ok=True)
    draft.symlink_to(directory.name)
    draft.replace(CURRENT)
    for other in PKI.iterdir():
        if not other.is_symlink() and other != directory:
            shutil.rmtree(other)


def make_placeholder():
    """A certificate of an authority that no other node has, and whose key is gone: all connections are refused."""
    directory = new_directory()
    make_key(directory / "server-key.pem")
    with tempfile.TemporaryDirectory() as temporary:
        authority = pathlib.Path(temporary)
        make_authority(authority, "no authority yet")
        request = make_request(directory / "server-key.pem", NODE_NAME, [os.environ["POD_IP"]])
        certificate = issue(authority, request, ["DNS:" + NODE_NAME])
        install(directory, certificate, (authority / "ca.crt").read_text())


def prepare():
    RESULT.unlink(missing_ok=True)
    if "host_uuid_source" not in LIBVIRTD.read_text():
        set_missing(LIBVIRTD, {"host_uuid": str(uuid.uuid5(uuid.NAMESPACE_DNS, NODE_NAME))})
    # Without these files libvirtd would not start.
    if TLS and not is_usable():
        make_placeholder()
    for link, name in LINKS.items() if TLS else ():
        path = pathlib.Path(link)
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.symlink_to(CURRENT / name)
    address = own_address()
    set_missing(LIBVIRTD, {"listen_addr": address})
    set_missing(QEMU, {"migration_host": address, "migration_address": address})
    options = {
        "live_migration_inbound_addr": address,
        "live_migration_scheme": "tls" if TLS else "tcp",
        "live_migration_with_native_tls": str(TLS).lower(),
        "live_migration_permit_post_copy": str(permits_post_copy()).lower(),
    }
    draft = RESULT.with_name("migration.new")
    draft.write_text("".join("%s=%s\n" % option for option in options.items()))
    os.chmod(draft, 0o644)
    draft.replace(RESULT)
    print("migrations by %s (%s)" % (address, options["live_migration_scheme"]), flush=True)


def answer_of(name):
    """The certificate and its authority, once the signer has answered."""
    end = time.monotonic() + ANSWER_SECONDS
    while time.monotonic() < end:
        status = request("GET", "%s/%s" % (REQUESTS, name)).get("status", {})
        for condition in status.get("conditions", []):
            if condition["type"] in ("Denied", "Failed"):
                raise Refused("%s is refused: %s" % (name, condition.get("message") or condition["type"]))
        if status.get("certificate"):
            certificate, *authority = base64.b64decode(status["certificate"]).decode().split("-----BEGIN ")[1:]
            return "-----BEGIN " + certificate, "".join("-----BEGIN " + each for each in authority)
        time.sleep(1)
    raise Refused("%s has no answer: the signer does not run" % name)


def renew_once(address):
    directory = new_directory()
    make_key(directory / "server-key.pem")
    # nova moves disks between the nodes' own addresses.
    body = make_request(directory / "server-key.pem", NODE_NAME, sorted({address, os.environ["POD_IP"]}))
    asked = {
        "apiVersion": "certificates.k8s.io/v1",
        "kind": "CertificateSigningRequest",
        "metadata": {"generateName": "{{ .release }}-%s-" % NODE_NAME[:150]},
        "spec": {"request": base64.b64encode(body.encode()).decode(), "signerName": SIGNER, "usages": USAGES},
    }
    try:
        certificate, authority = answer_of(request("POST", REQUESTS, asked)["metadata"]["name"])
        install(directory, certificate, authority)
    except Exception:
        shutil.rmtree(directory, ignore_errors=True)
        raise
    # It may be starting; then it reads the new files.
    while subprocess.run(["virt-admin", "server-update-tls", "libvirtd"], stdout=subprocess.DEVNULL).returncode:
        time.sleep(2)
    print("certificate for migrations: valid for %s days" % SETTINGS["days"], flush=True)


def cause(error):
    try:
        return json.load(error)["message"]
    except (AttributeError, KeyError, TypeError, ValueError):
        return str(error)


def renew():
    options = dict(line.split("=", 1) for line in RESULT.read_text().splitlines())
    is_first = True
    while True:
        pause = PERIOD_SECONDS
        if is_first or not is_usable(SETTINGS["days"] * 86400 // 3):
            try:
                renew_once(options["live_migration_inbound_addr"])
                is_first = False
            except Exception as error:
                print("no new certificate for migrations to and from %s: %s" % (NODE_NAME, cause(error)), file=sys.stderr, flush=True)
                pause = RETRY_SECONDS
        time.sleep(pause)


os.umask(0o077)
{"prepare": prepare, "renew": renew}[sys.argv[1]]()
{{ end -}}
