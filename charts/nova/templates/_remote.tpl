{{- /*
What nova does on another node when it migrates or resizes an instance that is stopped. SSH would need a key that
opens all nodes; here both sides have the certificates that libvirt's pods have requested for their nodes.
*/ -}}
{{- define "common.scripts.nova-remote.py" -}}
"""Directories and disks of instances on another node: nova-remote.py serve | ssh HOST COMMAND... | scp SOURCE HOST:TARGET

`ssh` and `scp` understand what nova's SshDriver starts. The other side changes only what is below the directory of instances.
A connection is a line of JSON, a tar archive in blocks for a copy, and a line of JSON as the answer.
"""
import json
import os
import re
import shutil
import socket
import socketserver
import ssl
import struct
import subprocess
import sys
import tempfile

PORT = 8022
PKI = "/var/lib/libvirt/pki/current"
INSTANCES = "/var/lib/nova/instances"
COMMANDS = (["mkdir", "-p"], ["rm"], ["rm", "-rf"], ["touch"])
BLOCK_BYTES = 1 << 20
TIMEOUT_SECONDS = 300


def context(purpose):
    made = ssl.create_default_context(purpose, cafile=PKI + "/ca-cert.pem")
    made.verify_mode = ssl.CERT_REQUIRED
    made.load_cert_chain(PKI + "/server-cert.pem", PKI + "/server-key.pem")
    return made


def write_line(stream, value):
    stream.write(json.dumps(value).encode() + b"\n")
    stream.flush()


def pack(stream, path):
    """Sends a file or a directory, without the holes of disks."""
    command = ["tar", "--create", "--sparse", "--file=-", "--directory=" + os.path.dirname(path), "--", os.path.basename(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as tar:
        for block in iter(lambda: tar.stdout.read(BLOCK_BYTES), b""):
            stream.write(struct.pack("!I", len(block)) + block)
    if tar.returncode:
        raise OSError("%s cannot be read" % path)
    stream.write(struct.pack("!I", 0))
    stream.flush()


def blocks(stream):
    while True:
        header = stream.read(4)
        size = struct.unpack("!I", header)[0] if len(header) == 4 else BLOCK_BYTES + 1
        if size == 0:
            return
        block = stream.read(size) if size <= BLOCK_BYTES else b""
        if len(block) < size:
            raise OSError("the copy is not complete")
        yield block


def unpack(stream, path):
    """Receives it, as scp does: into a directory that exists, or under this name."""
    place = tempfile.mkdtemp(prefix=".receiving-", dir=os.path.dirname(path))
    try:
        with subprocess.Popen(["tar", "--extract", "--file=-", "--directory=" + place], stdin=subprocess.PIPE) as tar:
            for block in blocks(stream):
                tar.stdin.write(block)
        entries = os.listdir(place)
        if tar.returncode or len(entries) != 1:
            raise OSError("%s cannot be written" % path)
        os.rename(os.path.join(place, entries[0]), os.path.join(path, entries[0]) if os.path.isdir(path) else path)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def execute(stream, asked):
    command, path = asked["command"], asked["path"]
    if not os.path.realpath(path).startswith(os.path.realpath(INSTANCES) + "/"):
        raise OSError("%s is not below %s" % (path, INSTANCES))
    if command == ["scp"]:
        unpack(stream, path)
    elif command in COMMANDS:
        done = subprocess.run([*command, "--", path], stderr=subprocess.PIPE, text=True)
        if done.returncode:
            raise OSError(done.stderr.strip())
    else:
        raise OSError("%s is no command of nova" % command)


class Handler(socketserver.BaseRequestHandler):
    def handle(self):
        self.request.settimeout(TIMEOUT_SECONDS)
        with context(ssl.Purpose.CLIENT_AUTH).wrap_socket(self.request, server_side=True) as connection:
            stream = connection.makefile("rwb")
            error = None
            try:
                execute(stream, json.loads(stream.readline(65536)))
            except (OSError, KeyError, TypeError, ValueError) as found:
                error = str(found) or type(found).__name__
                print("from %s: %s" % (self.client_address[0], error), file=sys.stderr, flush=True)
            write_line(stream, {"error": error})


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    address_family = socket.AF_INET6 if ":" in os.environ.get("POD_IP", "") else socket.AF_INET

    def handle_error(self, _, address):
        print("from %s: %s" % (address[0], sys.exc_info()[1]), file=sys.stderr, flush=True)


def ask(host, command, path, source=None):
    with socket.create_connection((host, PORT), timeout=TIMEOUT_SECONDS) as plain:
        with context(ssl.Purpose.SERVER_AUTH).wrap_socket(plain, server_hostname=host) as connection:
            stream = connection.makefile("rwb")
            write_line(stream, {"command": command, "path": path})
            if source:
                pack(stream, source)
            error = json.loads(stream.readline())["error"]
    if error:
        raise OSError("%s: %s" % (host, error))


def main(program, *arguments):
    if program == "serve":
        with Server((os.environ["POD_IP"], PORT), Handler) as server:
            server.serve_forever()
    if program == "ssh":
        host, *command, path = arguments[2:] if arguments[0] == "-o" else arguments
        ask(host, command, path)
    else:
        source, target = [each for each in arguments if each not in ("-C", "-r")]
        remote = re.fullmatch(r"\[?([^\]/]+?)\]?:(/.*)", target)
        if not remote:
            raise OSError("disks are only copied to another node, not to %s" % target)
        ask(remote[1], ["scp"], remote[2], source)


try:
    main(*sys.argv[1:])
except (OSError, ValueError) as error:
    sys.exit("%s: %s" % (sys.argv[1], error))
{{ end -}}
