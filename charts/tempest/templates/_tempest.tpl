{{- /* The certificate authority that Tempest trusts, with TLS inside. */ -}}
{{- define "common.config.block.trust" -}}
{{- if .ctx.values.tls.internal -}}
options: {identity: {ca_certificates_file: /etc/tls/ca.crt}}
{{- end -}}
{{- end -}}

{{- /* Runs the tests that run.json selects, and continues an earlier run of the same tests. */ -}}
{{- define "common.scripts.tempest-run.py" -}}
"""Runs one shard of a suite of Tempest's tests, prints the results as TAP; exits with 0 if no test failed."""
import hashlib
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys

HOME = pathlib.Path("/var/lib/tempest")
CONF = HOME / "tempest.conf"
# Exists while tests run: the next run removes what an interrupted one left.
RUNNING = HOME / "results/running"


def script(name):
    """Another of these scripts, as a module."""
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), "/scripts/%s.py" % name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def configuration(name):
    return json.loads(pathlib.Path("/etc/tempest/%s.json" % name).read_text())


def listed(regex):
    """The ids of all tests that match."""
    if not pathlib.Path(".stestr").exists():
        subprocess.run(["stestr", "init"], check=True)
    command = ["tempest", "run", "--config-file", CONF, "--list-tests", "--regex", regex]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return sorted(line for line in lines if re.match(r"^\w+\.", line))


def of_shard(tests, shard):
    """Those of the shard N/M. The tests of a class stay together, because they share what it sets up; shards differ by one class at most."""
    number, count = (int(part) for part in shard.split("/"))
    classes = sorted({results.class_of(test) for test in tests}, key=digest)
    chosen = set(classes[number - 1::count])
    return [test for test in tests if results.class_of(test) in chosen]


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def run(tests, what):
    """Yields the result of each test as it ends, until the timeout."""
    load = HOME / "load"
    load.write_text("\n".join(tests) + "\n")
    command = ["tempest", "run", "--config-file", CONF, "--load-list", load, "--subunit"]
    command += ["--serial"] if what["workers"] == 1 else ["--concurrency", str(what["workers"])]
    RUNNING.touch()
    if (yield from results.of(command, what["minutes"])):
        RUNNING.unlink()


os.chdir(HOME)
facts, results = script("tempest-facts"), script("tempest-results")
what, excluded = configuration("run"), configuration("excluded")
os.environ.update(TEMPEST_CONFIG_DIR=str(HOME), TEMPEST_CONFIG=CONF.name)
cloud, nodes = facts.write("/etc/tempest/tempest.conf", CONF)
if RUNNING.exists():
    print("# removing what an interrupted run left", flush=True)
    subprocess.run(["tempest", "cleanup", "--prefix", "tempest"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    RUNNING.unlink()

everything = of_shard(listed(what["regex"] or what["suites"][what["suite"]]), what["shard"])
here = [entry for entry in excluded if nodes < entry.get("nodes", nodes + 1)]
reasons = {test: entry for test in everything for entry in here if re.search(entry["test"], test)}
wanted = [test for test in everything if test not in reasons]
place = HOME / "results" / digest(json.dumps([cloud, everything]))[:16]
place.mkdir(parents=True, exist_ok=True)
kept = results.Kept(place / "results.jsonl")
if all(kept.is_done(test) for test in wanted):
    kept.forget()
left = [test for test in wanted if not kept.is_done(test)]

told = results.Tap(len(everything))
print("# %d tests: %d excluded, %d known from an earlier run, %d to run" % (len(everything), len(reasons), len(wanted) - len(left), len(left)), flush=True)
for test in wanted:
    if kept.is_done(test):
        told.result(test, kept.result(test))
for test, entry in reasons.items():
    told.excluded(test, entry)
for result in run(left, what) if left else ():
    kept.add(result)
    told.ended(result, left)
sys.exit(results.conclude(place, kept, everything, reasons))
{{ end -}}

{{- /* The tests detect the properties of the cloud when they start, so that none is stated twice. */ -}}
{{- define "common.scripts.tempest-facts.py" -}}
"""Detects what Tempest must know of the cloud, and creates what its tests need."""
import configparser
import functools
import hashlib
import http.server
import json
import os
import pathlib
import struct
import threading
import urllib.request

import openstack

GUEST = pathlib.Path("/usr/share/guest/guest.raw")
RUN = json.loads(pathlib.Path("/etc/tempest/run.json").read_text())
SERVICES = {"compute": "nova", "image": "glance", "network": "neutron", "block-storage": "cinder", "volumev3": "cinder"}


def write(stated, path):
    """Writes tempest.conf from detected options and stated ones, which override them; returns what identifies this cloud, and its nodes for virtual machines."""
    cloud = openstack.connect()
    file = configparser.RawConfigParser()
    file.optionxform = str
    file.read_dict(found(cloud))
    file.read(stated)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as target:
        file.write(target)
    return cloud.current_project_id, file.getint("compute", "min_compute_nodes", fallback=0)


def found(cloud):
    there = {SERVICES[service.type] for service in cloud.identity.services() if service.type in SERVICES}
    conf = {
        "auth": {
            "admin_username": os.environ["OS_USERNAME"],
            "admin_password": os.environ["OS_PASSWORD"],
            "admin_project_name": os.environ["OS_PROJECT_NAME"],
            "admin_domain_name": os.environ["OS_USER_DOMAIN_NAME"],
        },
        "identity": {"uri_v3": os.environ["OS_AUTH_URL"], "region": os.environ["OS_REGION_NAME"]},
        "service_available": {name: str(name in there) for name in set(SERVICES.values())} | {"horizon": str(answers(os.environ["DASHBOARD"]))},
        "dashboard": {"dashboard_url": os.environ["DASHBOARD"]},
    }
    for service, find in (("glance", images), ("nova", machines), ("neutron", networks), ("cinder", volumes)):
        if service in there:
            for section, options in find(cloud).items():
                conf[section] = conf.get(section, {}) | options
    return conf


def images(cloud):
    served = serve()
    return {
        "compute": {"image_ref": image(cloud, "guest-of-tests"), "image_ref_alt": image(cloud, "guest-of-tests-other")},
        "image": {"http_image": served + "/guest.raw", "http_qcow2_image": served + "/empty.qcow2"},
    }


def machines(cloud):
    nodes = sum(1 for service in cloud.compute.services(binary="nova-compute") if service.state == "up")
    return {
        "compute": {
            "flavor_ref": flavor(cloud, "guest-of-tests", 128, 1),
            "flavor_ref_alt": flavor(cloud, "guest-of-tests-other", 192, 2),
            "min_compute_nodes": str(nodes),
        },
    }


def networks(cloud):
    network = next(iter(cloud.network.networks(is_router_external=True)), None)
    if network is None:
        raise SystemExit("expected a network with router:external, for floating addresses; there is none")
    extensions = {extension.alias for extension in cloud.network.extensions()}.union(RUN["extensions"])
    return {
        "network": {"public_network_id": network.id, "floating_network_name": network.name},
        "network-feature-enabled": {"api_extensions": ",".join(sorted(extensions))},
    }


def volumes(cloud):
    name = "guest-of-tests-multiattach"
    if cloud.block_storage.find_type(name) is None:
        cloud.block_storage.create_type(name=name, extra_specs={"multiattach": "<is> True"})
    backends = sorted({pool.capabilities["volume_backend_name"] for pool in cloud.block_storage.backend_pools()})
    return {
        "volume": {"volume_type_multiattach": name, "backend_names": ",".join(backends)},
        "volume-feature-enabled": {"multi_backend": str(len(backends) > 1)},
    }


def image(cloud, name):
    """The id of an image with the guest's disk, which is created if there is none."""
    name = "%s-%s" % (name, hashlib.sha256(GUEST.read_bytes()).hexdigest()[:8])
    there = cloud.image.find_image(name)
    if there is not None and there.status != "active":
        # What an interrupted run left.
        cloud.delete_image(there.id, wait=True)
        there = None
    if there is None:
        # Files for a virtual machine come only by its configuration drive.
        drive = {"img_config_drive": "mandatory"}
        there = cloud.create_image(name, filename=str(GUEST), disk_format="raw", container_format="bare", visibility="public", wait=True, **drive)
    return there.id


def flavor(cloud, name, ram, disk):
    """The id of a flavor, which is created if there is none."""
    there = cloud.compute.find_flavor(name)
    if there is None:
        there = cloud.compute.create_flavor(name=name, ram=ram, vcpus=1, disk=disk)
        cloud.compute.create_flavor_extra_specs(there, {"hw_rng:allowed": "True"})
    return there.id


def answers(url):
    try:
        return urllib.request.urlopen(url, timeout=60).status == 200
    except OSError:
        return False


def serve():
    """Serves disks, for images that Glance downloads itself, on the only HTTP port that it allows by default; returns the URL."""
    folder = pathlib.Path("/var/lib/tempest/served")
    folder.mkdir(exist_ok=True)
    if not (folder / GUEST.name).exists():
        (folder / GUEST.name).symlink_to(GUEST)
    (folder / "empty.qcow2").write_bytes(empty_qcow2())
    handler = functools.partial(QuietHandler, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("", 80), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return "http://%s" % os.environ["POD_ADDRESS"]


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def empty_qcow2():
    """A disk of 1 MiB without data: header, tables of counts, and one table of clusters, of 64 KiB each."""
    header = struct.pack(">4sIQIIQIIQQIIQ", b"QFI\xfb", 2, 0, 0, 16, 1 << 20, 0, 1, 3 << 16, 1 << 16, 1, 0, 0)
    table = struct.pack(">Q", 2 << 16)
    counts = struct.pack(">4H", 1, 1, 1, 1)
    return b"".join(part.ljust(1 << 16, b"\0") for part in (header, table, counts, b""))
{{ end -}}

{{- /* Each result is saved as soon as it arrives, so that nothing is lost with the pod. */ -}}
{{- define "common.scripts.tempest-results.py" -}}
"""Reads the results of Tempest's tests as they arrive, saves them, prints them as TAP (testanything.org), and sums them up."""
import collections
import json
import os
import queue
import re
import signal
import subprocess
import threading
import xml.etree.ElementTree as xml

import subunit
import testtools

STATUS = {"success": "passed", "xfail": "passed", "skip": "skipped"}
OF_CLASS = re.compile(r"^(setUp|tearDown)Class \((.*)\)$")


def of(command, minutes):
    """Yields {id, status, seconds, text} of each test that ends; returns whether all ran before the timeout."""
    ended, is_over = queue.Queue(), threading.Event()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)

    def end():
        is_over.set()
        os.killpg(process.pid, signal.SIGTERM)

    def take(test):
        if test["id"] in (None, "output", "subunit.parser") or test["status"] in ("inprogress", "unknown", "exists"):
            return
        texts = [detail.as_text() for name, detail in test["details"].items() if name.startswith(("traceback", "reason"))]
        ended.put({"id": test["id"], "status": STATUS.get(test["status"], "failed"), "seconds": seconds(test["timestamps"]), "text": "\n".join(texts)[-4000:]})

    def read():
        target = testtools.StreamToDict(take)
        target.startTestRun()
        subunit.ByteStreamToStreamResult(process.stdout, non_subunit_name="output").run(target)
        ended.put(None)

    timer = threading.Timer(minutes * 60, end)
    timer.start()
    threading.Thread(target=read, daemon=True).start()
    yield from iter(ended.get, None)
    timer.cancel()
    process.wait()
    return not is_over.is_set()


def seconds(timestamps):
    first, last = timestamps
    return round((last - first).total_seconds(), 1) if first and last else 0.0


def class_of(test):
    return test.split("[")[0].rpartition(".")[0]


class Kept:
    """The last result of every test that has ended, in a file with one line each; the failure of a class counts for each of its tests."""

    def __init__(self, file):
        self.file, self.ended = file, {}
        for line in file.read_text().splitlines() if file.exists() else ():
            self.take(json.loads(line))

    def take(self, result):
        self.ended[result["id"]] = result
        # Tests of the class ran this time, so its earlier failure is obsolete.
        for what in ("setUp", "tearDown"):
            self.ended.pop("%sClass (%s)" % (what, class_of(result["id"])), None)

    def add(self, result):
        with self.file.open("a") as file:
            file.write(json.dumps(result) + "\n")
        self.take(result)

    def forget(self):
        self.file.unlink(missing_ok=True)
        self.ended = {}

    def result(self, test):
        return self.ended.get(test) or self.ended.get("setUpClass (%s)" % class_of(test))

    def is_done(self, test):
        results = [self.result(test), self.ended.get("tearDownClass (%s)" % class_of(test))]
        return results[0] is not None and all(result["status"] != "failed" for result in results if result)

    def failures_beside(self, tests):
        """Failures outside these tests: of the teardown of a class, or of a module that cannot be loaded."""
        for name, result in self.ended.items():
            if result["status"] == "failed" and name not in tests and not name.startswith("setUpClass"):
                yield result


class Tap:
    """Prints results on standard output, one test after the other."""

    def __init__(self, count):
        self.told = set()
        print("TAP version 14\n1..%d" % count)

    def result(self, test, result):
        if test in self.told:
            return
        self.told.add(test)
        skip = " # SKIP " + one_line(result["text"]) if result["status"] == "skipped" else ""
        print("%s %d - %s%s" % ("not ok" if result["status"] == "failed" else "ok", len(self.told), test.replace("#", "\\#"), skip))
        print("  ---\n  duration_ms: %d" % (result["seconds"] * 1000))
        if result["status"] == "failed":
            print("  message: |\n" + "\n".join("    " + line for line in result["text"].strip().splitlines()))
        print("  ...", flush=True)

    def ended(self, result, tests):
        """Prints the result of a test, or of all tests of a class that could not be set up."""
        of_class = OF_CLASS.match(result["id"])
        if of_class is None:
            return self.result(result["id"], result)
        for test in tests if of_class.group(1) == "setUp" else ():
            if class_of(test) == of_class.group(2):
                self.result(test, result)

    def excluded(self, test, entry):
        self.result(test, {"status": "skipped", "seconds": 0, "text": reason(entry)})


def reason(entry):
    """The reason why a test is excluded, in one line."""
    parts = ["needs %d nodes" % entry["nodes"] if "nodes" in entry else entry.get("needs") and "needs " + entry["needs"], entry.get("reason"), entry.get("bug")]
    return ": ".join(part for part in parts if part)


def one_line(text):
    return " ".join(text.split())[:300]


def conclude(place, kept, everything, reasons):
    """Writes junit.xml, prints the sums; returns the exit code."""
    count = collections.Counter()
    suite = xml.Element("testsuite", name="tempest")
    beside = list(kept.failures_beside(set(everything)))
    for test in everything:
        kind, text, took = outcome(kept.result(test), reasons.get(test))
        count[kind] += 1
        case = xml.SubElement(suite, "testcase", classname=class_of(test), name=test[len(class_of(test)) + 1:], time=str(took))
        if kind != "passed":
            xml.SubElement(case, {"failed": "failure", "not run": "error"}.get(kind, "skipped"), message=one_line(text) or kind).text = text
    for result in beside:
        xml.SubElement(xml.SubElement(suite, "testcase", classname="tempest", name=result["id"]), "failure", message=one_line(result["text"])).text = result["text"]
        print("# outside the tests: %s\n#   %s" % (result["id"], one_line(result["text"])))
    failures = count["failed"] + len(beside)
    suite.attrib.update(tests=str(len(everything) + len(beside)), failures=str(failures), errors=str(count["not run"]), skipped=str(count["skipped"] + count["excluded"] + count["needs more"]))
    xml.ElementTree(suite).write(place / "junit.xml", encoding="utf-8", xml_declaration=True)
    possible = len(everything) - count["needs more"]
    print("# " + "; ".join("%d %s" % (number, kind) for kind, number in sorted(count.items())))
    print("# %d of %d that this cloud could pass: %.1f %%; as JUnit: %s" % (count["passed"], possible, 100 * count["passed"] / max(1, possible), place / "junit.xml"), flush=True)
    return 1 if failures or count["not run"] else 0


def outcome(result, entry):
    """The outcome of a test, its message and its duration in seconds."""
    if entry:
        return ("needs more" if "nodes" in entry or entry.get("needs") else "excluded"), reason(entry), 0
    if result is None:
        return "not run", "the timeout was reached", 0
    return result["status"], result["text"], result["seconds"]
{{ end -}}
