{{- /* Uses the cloud as a user, and serves the record. */ -}}
{{- define "common.scripts.probers.py" -}}
"""Uses the cloud as a user does, all the time. Serves what failed, and the longest gaps: /record as JSON, /metrics for Prometheus."""
import collections
import fcntl
import http.server
import ipaddress
import itertools
import json
import os
import pathlib
import select
import signal
import socket
import struct
import termios
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

CONF = json.loads(pathlib.Path("/var/lib/kolla/config_files/probers.json").read_text())
STOP = threading.Event()
# The clock of the record, which a correction of the system's time does not move.
STARTED = time.time() - time.monotonic()
# How many of the first and of the last failures a summary has.
SHOWN = 5


def now():
    return STARTED + time.monotonic()


# What was before is not in the record.
BEGAN = now()


class Record:
    """The results of one probe: when each ended, its seconds, and why it failed."""

    def __init__(self):
        self.lock, self.results = threading.Lock(), collections.deque()
        self.tried = self.failed = 0
        self.began = None

    def add(self, began, error=None):
        with self.lock:
            ended = now()
            self.began = self.began or began
            self.results.append((ended, ended - began, error))
            self.tried += 1
            self.failed += error is not None
            while self.results[0][0] < ended - CONF["hours"] * 3600:
                self.results.popleft()

    def summary(self, since, until):
        """The tries of which a part was in a time range. A gap is the time between two successes, or between one and the end of the range."""
        with self.lock:
            results = [each for each in self.results if since <= each[0] and each[0] - each[1] <= until]
            last = max(since, self.began or until)
        gap, gap_began = 0, last
        for ended in [min(ended, until) for ended, _, error in results if error is None] + [until]:
            if ended - last > gap:
                gap, gap_began = ended - last, last
            last = ended
        failures = [{"time": stamp(ended), "text": error} for ended, _, error in results if error is not None]
        return {
            "tried": len(results),
            "failed": len(failures),
            "longestGapSeconds": round(gap, 2),
            "longestGapBegan": stamp(gap_began),
            "slowestSeconds": round(max((seconds for _, seconds, _ in results), default=0), 2),
            "firstFailures": failures[:SHOWN],
            "lastFailures": failures[-SHOWN:],
        }


RECORDS = collections.defaultdict(Record)


def stamp(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + ".%03dZ" % (seconds % 1 * 1000)


class NotYet(Exception):
    """There is nothing to try: no token yet, or no such service."""


class Answer(Exception):
    """A response with an error."""

    def __init__(self, status, text):
        super().__init__("%d: %s" % (status, text))
        self.status = status


def call(method, url, body=None, token=None):
    """Makes one request, on a connection of its own; returns headers and JSON."""
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    headers.update({"X-Auth-Token": token} if token else {})
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method), timeout=CONF["call_timeout"]) as answer:
            text = answer.read()
            return answer.headers, json.loads(text) if text else None
    except urllib.error.HTTPError as error:
        raise Answer(error.code, " ".join(error.read(300).decode(errors="replace").split())) from None


class User:
    """The account of the prober, with its last token and the catalogue of that."""

    token, catalogue, project = None, (), None

    def log_in(self):
        env = os.environ
        user = {"name": env["OS_USERNAME"], "domain": {"name": env["OS_USER_DOMAIN_NAME"]}, "password": env["OS_PASSWORD"]}
        project = {"name": env["OS_PROJECT_NAME"], "domain": {"name": env["OS_PROJECT_DOMAIN_NAME"]}}
        auth = {"identity": {"methods": ["password"], "password": {"user": user}}, "scope": {"project": project}}
        headers, body = call("POST", env["OS_AUTH_URL"].rstrip("/") + "/auth/tokens", {"auth": auth})
        self.catalogue, self.project = body["token"]["catalog"], body["token"]["project"]["id"]
        self.token = headers["X-Subject-Token"]

    def ask(self, method, service, path, body=None):
        return call(method, self.endpoint(service).rstrip("/") + path, body, self.token)[1]

    def endpoint(self, service):
        there = [each for entry in self.catalogue if entry["type"] == service for each in entry["endpoints"]]
        for each in there:
            if each["interface"] == os.environ["OS_INTERFACE"] and each["region"] == os.environ["OS_REGION_NAME"]:
                return each["url"]
        raise NotYet


USER = User()


def tried(name, ask):
    """Asks once, and records the result; returns the answer, or raises the error."""
    began = now()
    try:
        answer = ask()
    except NotYet:
        raise
    except Exception as error:
        RECORDS[name].add(began, "%s: %s" % (type(error).__name__, error))
        raise
    RECORDS[name].add(began)
    return answer


def repeat(every, ask):
    """Asks each `every` seconds until the end; what fails is in the record."""
    while not STOP.is_set():
        began = now()
        try:
            ask()
        except NotYet:
            pass
        except Exception as error:
            print("%s %s: %s" % (stamp(now()), type(error).__name__, error), flush=True)
        STOP.wait(max(0, began + every - now()))


def ping(name, address, every, timeout):
    """Sends echo requests, and records each as it is answered, or after the timeout."""
    record = RECORDS["ping %s" % name]
    is_4 = ipaddress.ip_address(address).version == 4
    request, reply = (8, 0) if is_4 else (128, 129)
    # Linux completes the checksum, and delivers only replies to this socket.
    wire = socket.socket(socket.AF_INET if is_4 else socket.AF_INET6, socket.SOCK_DGRAM, socket.IPPROTO_ICMP if is_4 else socket.IPPROTO_ICMPV6)
    waiting, following = {}, now()
    for number in itertools.count():
        if STOP.is_set():
            return
        waiting[number & 0xFFFF] = now()
        try:
            wire.sendto(struct.pack("!BBHHH", request, 0, 0, 0, number & 0xFFFF) + b"kk probers", (address, 0))
        except OSError as error:
            record.add(waiting.pop(number & 0xFFFF), str(error))
        following = max(following + every, now())
        while select.select([wire], [], [], max(0, following - now()))[0]:
            try:
                packet = wire.recv(2048)
            except OSError:
                continue
            sent = waiting.pop(struct.unpack("!H", packet[6:8])[0], None) if packet[0] == reply else None
            if sent is not None:
                record.add(sent)
        for each in [each for each, sent in waiting.items() if now() - sent > timeout]:
            record.add(waiting.pop(each), "no answer within %g s" % timeout)


class SshConnection:
    """A connection to an SSH server without a login; `exchange` sends a message to ignore (RFC 4253, 11.2), and waits until it is acknowledged."""

    IGNORED = struct.pack("!IB", 12, 6) + b"\x02" + bytes(4) + bytes(6)

    def __init__(self, address, port, timeout):
        self.socket = socket.create_connection((address, port), timeout=CONF["call_timeout"])
        # Unacknowledged data ends the connection after this time.
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(timeout * 1000))
        if not self.socket.recv(64).startswith(b"SSH-2.0-"):
            raise ConnectionError("%s:%d is not an SSH server" % (address, port))
        self.socket.sendall(b"SSH-2.0-probers\r\n")
        self.socket.setblocking(False)
        self.opened = now()

    def exchange(self):
        self.socket.send(self.IGNORED)
        while self.unacknowledged() and not STOP.wait(0.02):
            pass
        try:
            if self.socket.recv(65536) == b"":
                raise ConnectionError("closed by the server after %.1f s" % (now() - self.opened))
        except BlockingIOError:
            pass

    def unacknowledged(self):
        failed = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if failed:
            raise ConnectionError("lost after %.1f s: %s" % (now() - self.opened, os.strerror(failed)))
        return struct.unpack("i", fcntl.ioctl(self.socket, termios.TIOCOUTQ, bytes(4)))[0]


def hold(name, address, every, port, hold, timeout):
    """Keeps a connection open; a failure is a lost one, or one that could not be opened."""
    held = None

    def exchange():
        nonlocal held
        try:
            if held is None or now() - held.opened > hold:
                new = SshConnection(address, port, timeout)
                if held:
                    held.socket.close()
                held = new
            held.exchange()
        except OSError:
            held = None
            raise

    repeat(every, lambda: tried("ssh %s" % name, exchange))


class Servers:
    """Creates and deletes a server again and again. A server in ERROR is a failed creation, and no failed call."""

    NAME = "prober"

    def __init__(self, conf):
        self.conf = conf

    def ask(self, *request):
        return tried("server calls", lambda: USER.ask(*request))

    def cycle(self):
        self.delete_all()
        network, image, flavor = self.network(), self.image(), self.flavor()
        if not STOP.is_set():
            tried("server create", lambda: self.create(network, image, flavor))
            self.delete_all()

    def create(self, network, image, flavor):
        wanted = {"name": self.NAME, "imageRef": image, "flavorRef": flavor, "networks": [{"uuid": network}]}
        created = self.ask("POST", "compute", "/servers", {"server": wanted})["server"]["id"]
        for server in self.states(created):
            if server is None or server["status"] == "ERROR":
                raise RuntimeError("ERROR: %s" % (server or {}).get("fault", {}).get("message", "no reason"))
            if server["status"] == "ACTIVE":
                return

    def delete_all(self):
        for server in self.ask("GET", "compute", "/servers?name=^%s$" % self.NAME)["servers"]:
            tried("server delete", lambda: self.delete(server["id"]))

    def delete(self, server):
        self.ask("DELETE", "compute", "/servers/%s" % server)
        for state in self.states(server):
            if state is None:
                return

    def states(self, server):
        """Yields the server each second, None once it is gone; raises after the timeout."""
        end = now() + self.conf["timeout"]
        while now() < end:
            yield tried("server calls", lambda: self.state(server))
            # Not STOP.wait: at the end it would ask without a pause until the server is gone.
            time.sleep(1)
        raise TimeoutError("not done within %d s" % self.conf["timeout"])

    @staticmethod
    def state(server):
        try:
            return USER.ask("GET", "compute", "/servers/%s" % server)["server"]
        except Answer as answer:
            if answer.status == 404:
                return None
            raise

    def network(self):
        there = self.networks()
        if there:
            return there[0]["id"]
        made = self.ask("POST", "network", "/v2.0/networks", {"network": {"name": self.NAME}})["network"]["id"]
        version = ipaddress.ip_network(self.conf["cidr"]).version
        subnet = {"network_id": made, "ip_version": version, "cidr": self.conf["cidr"], "gateway_ip": None}
        self.ask("POST", "network", "/v2.0/subnets", {"subnet": subnet})
        return made

    def networks(self):
        path = "/v2.0/networks?name=%s&project_id=%s" % (self.NAME, USER.project)
        # One without a subnet is what an interrupted start left.
        return sorted(self.ask("GET", "network", path)["networks"], key=lambda each: not each["subnets"])

    def image(self):
        images = self.ask("GET", "image", "/v2/images?status=active&sort=size:asc&limit=1000")["images"]
        return self.chosen("image", images)

    def flavor(self):
        flavors = self.ask("GET", "compute", "/flavors/detail?sort_key=memory_mb")["flavors"]
        return self.chosen("flavor", flavors)

    def chosen(self, kind, there):
        """The id of the one with the name in the configuration, or of the first."""
        name = self.conf[kind]
        found = [each["id"] for each in there if name in ("", each["name"], each["id"])]
        if not found:
            raise NotYet
        return found[0]

    def clean(self):
        """Deletes what is left in the project."""
        self.delete_all()
        for network in self.networks():
            self.ask("DELETE", "network", "/v2.0/networks/%s" % network["id"])

    def run(self):
        repeat(self.conf["every"], self.cycle)
        try:
            self.clean()
        except NotYet:
            pass
        except Exception as error:
            print("left in the project: %s" % error, flush=True)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        asked = urllib.parse.parse_qs(url.query)
        try:
            since, until = float(asked.get("since", [0])[0]), min(now(), float(asked.get("until", ["inf"])[0]))
        except ValueError:
            return self.answer(400, "text/plain", "since and until are seconds since 1970\n")
        if url.path == "/record":
            probes = {name: record.summary(since, until) for name, record in sorted(RECORDS.items())}
            return self.answer(200, "application/json", json.dumps({"now": round(now(), 3), "began": round(BEGAN, 3), "probes": probes}, indent=1) + "\n")
        if url.path == "/metrics":
            return self.answer(200, "text/plain; version=0.0.4", metrics())
        return self.answer(200 if url.path == "/" else 404, "text/plain", "/record?since=SECONDS&until=SECONDS, /metrics\n")

    def answer(self, status, kind, text):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def metrics():
    """The record in the text format of Prometheus."""
    kinds = {
        "tried_total": ("counter", "Tries since the start.", lambda record, _: record.tried),
        "failed_total": ("counter", "Tries that failed since the start.", lambda record, _: record.failed),
        "longest_gap_seconds": ("gauge", "The longest time without a success in the kept record.", lambda _, summary: summary["longestGapSeconds"]),
        "slowest_seconds": ("gauge", "The longest try in the kept record.", lambda _, summary: summary["slowestSeconds"]),
    }
    records = [(name, record, record.summary(0, now())) for name, record in sorted(RECORDS.items())]
    lines = []
    for kind, (form, help_text, value) in kinds.items():
        lines += ["# HELP kk_probe_%s %s" % (kind, help_text), "# TYPE kk_probe_%s %s" % (kind, form)]
        lines += ["kk_probe_%s{probe=%s} %s" % (kind, json.dumps(name), value(record, summary)) for name, record, summary in records]
    return "\n".join(lines) + "\n"


class Server(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6 if ":" in os.environ["POD_IP"] else socket.AF_INET
    daemon_threads = True


def end_all(failure):
    """Ends the program if one of its threads fails: without it the record would show nothing wrong."""
    threading.__excepthook__(failure)
    os._exit(1)


def start(target, *args, **options):
    thread = threading.Thread(target=target, args=args, kwargs=options)
    thread.start()
    return thread


def listing(service, path):
    if USER.token is None:
        raise NotYet
    USER.ask("GET", service, path)


def main():
    threading.excepthook = end_all
    server = Server(("", 9310), Handler)
    signal.signal(signal.SIGTERM, lambda *_: STOP.set())
    threading.Thread(target=server.serve_forever, daemon=True).start()
    threads = [start(repeat, CONF["login"]["every"], lambda: tried("token", USER.log_in))]
    for name, each in CONF["lists"].items():
        if each:
            ask = lambda name=name, each=each: tried(name, lambda: listing(each["service"], each["path"]))
            threads.append(start(repeat, each["every"], ask))
    for name, address in CONF["guests"].items():
        threads.append(start(ping, name, address, **CONF["ping"]))
        threads.append(start(hold, name, address, **CONF["ssh"]))
    if CONF["server"]["every"]:
        threads.append(start(Servers(CONF["server"]).run))
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
{{ end -}}

{{- define "common.scripts.probers-test.py" -}}
"""Reads the record, and expects that the prober has logged in, and that its last tries of a minute did not all fail."""
import json
import os
import time
import urllib.request


def read(since):
    url = "http://%s:9310/record?since=%f" % (os.environ["HOST"], since)
    with urllib.request.urlopen(url, timeout=30) as answer:
        return json.load(answer)["probes"]


probes = read(time.time() - 60)
for name, probe in probes.items():
    print("%s: %d tried, %d failed, longest gap %.1f s" % (name, probe["tried"], probe["failed"], probe["longestGapSeconds"]))
assert probes["token"]["tried"], "the prober has not logged in for a minute"
failing = {name: probe["lastFailures"][-1]["text"] for name, probe in probes.items() if probe["tried"] and probe["failed"] == probe["tried"]}
assert not failing, failing
{{ end -}}
