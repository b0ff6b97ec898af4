{{- /* Runs what the file run.json names, and goes on with what an earlier run of the same tests left. */ -}}
{{- define "common.scripts.tempest-run.py" -}}
"""Runs one shard of a suite of Tempest's tests; ends with 0 when all have passed."""
import hashlib
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import time


def script(name):
    """Another of these scripts, as a module."""
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), "/scripts/%s.py" % name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def configuration(name):
    return json.loads(pathlib.Path("/etc/tempest/%s.json" % name).read_text())


def listed(regex):
    """The ids of all tests that match; they are run in the home of the image's user."""
    os.chdir("/var/lib/tempest")
    if not pathlib.Path(".stestr").exists():
        subprocess.run(["stestr", "init"], check=True)
    command = ["tempest", "run", "--config-file", CONF, "--list-tests", "--regex", regex]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return [line for line in lines if re.match(r"^\w+\.", line)]


def of_shard(tests, shard):
    """Those of the shard N/M: what one class holds stays together, for it shares what it sets up."""
    number, count = (int(part) for part in shard.split("/"))
    classes = sorted({test.rpartition("[")[0].rpartition(".")[0] or test.rpartition(".")[0] for test in tests})
    dealt = {name: index % count + 1 for index, name in enumerate(sorted(classes, key=digest))}
    return [t for t in tests if dealt[t.rpartition("[")[0].rpartition(".")[0] or t.rpartition(".")[0]] == number]


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


facts, results = script("tempest-facts"), script("tempest-results")
what, excluded = configuration("run"), configuration("excluded")
CONF = "/var/lib/tempest/tempest.conf"
cloud = facts.write("/etc/tempest/tempest.conf", CONF)

everything = of_shard(listed(what["regex"] or what["suites"][what["suite"]]), what["shard"])
reasons = {t: entry for t in everything for entry in excluded if re.search(entry["test"], t)}
wanted = [test for test in everything if test not in reasons]
key = digest(json.dumps([cloud, sorted(wanted)]))[:16]
place = pathlib.Path("/var/lib/tempest/results") / key
place.mkdir(parents=True, exist_ok=True)
if len(results.read(place)) >= len(wanted):
    results.forget(place)
known = results.read(place)
left = [test for test in wanted if test not in known]
print("%d tests, %d of them excluded, %d known from a run that was interrupted" % (len(everything), len(reasons), len(known)), flush=True)

if left:
    load = pathlib.Path("/var/lib/tempest/left")
    load.write_text("\n".join(left) + "\n")
    stream = place / ("%d.subunit" % time.time_ns())
    command = ["tempest", "run", "--config-file", CONF, "--load-list", str(load), "--subunit"]
    command += ["--serial"] if what["workers"] == 1 else ["--concurrency", str(what["workers"])]
    deadline = time.monotonic() + what["minutes"] * 60
    with stream.open("wb") as sink:
        run = subprocess.Popen(command, stdout=sink)
        try:
            results.follow(run, stream, deadline, total=len(wanted), before=len(known))
        finally:
            run.terminate()
            run.wait()

sys.exit(results.conclude(place, everything, reasons))
{{ end -}}

{{- /* What the tests have to know of the cloud is found out when they start: nothing of it is stated twice. */ -}}
{{- define "common.scripts.tempest-facts.py" -}}
"""Finds out what Tempest has to know of the cloud, and makes what its tests start from."""
import configparser
import os

import openstack

DISK = "/usr/share/guest/guest.raw"
SERVICES = {"compute": "nova", "image": "glance", "network": "neutron", "volume": "cinder", "block-storage": "cinder", "volumev3": "cinder"}


def write(stated, path):
    """Writes tempest.conf from what is found and what is stated, which counts more; returns what tells this cloud from others."""
    cloud = openstack.connect()
    file = configparser.RawConfigParser()
    file.optionxform = str
    file.read_dict(found(cloud))
    file.read(stated)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as target:
        file.write(target)
    return cloud.current_project_id


def found(cloud):
    types = {service.type for service in cloud.identity.services()}
    there = {SERVICES[type] for type in types if type in SERVICES}
    conf = {
        "auth": {
            "admin_username": os.environ["OS_USERNAME"],
            "admin_password": os.environ["OS_PASSWORD"],
            "admin_project_name": os.environ["OS_PROJECT_NAME"],
            "admin_domain_name": os.environ["OS_USER_DOMAIN_NAME"],
        },
        "identity": {"uri_v3": os.environ["OS_AUTH_URL"], "region": os.environ["OS_REGION_NAME"]},
        "validation": {"image_ssh_password": "guest", "image_alt_ssh_password": "guest"},
        "service_available": {name: str(name in there) for name in set(SERVICES.values())},
    }
    if "glance" in there:
        conf["compute"] = {"image_ref": image(cloud, "tempest"), "image_ref_alt": image(cloud, "tempest-other")}
    if "nova" in there:
        nodes = sum(1 for service in cloud.compute.services(binary="nova-compute") if service.state == "up")
        several = str(nodes > 1)
        conf["compute"] |= {
            "flavor_ref": flavor(cloud, "tempest", 192, 1),
            "flavor_ref_alt": flavor(cloud, "tempest-other", 256, 2),
            "min_compute_nodes": str(nodes),
        }
        conf["compute-feature-enabled"] = {
            "cold_migration": several,
            "live_migration": several,
            "can_migrate_between_any_hosts": several,
        }
    if "neutron" in there:
        network = next(iter(cloud.network.networks(is_router_external=True)), None)
        if network is None:
            raise SystemExit("expected a network with router:external, for floating addresses; there is none")
        conf["network"] = {"public_network_id": network.id, "floating_network_name": network.name}
    return conf


def image(cloud, name):
    """The id of an image with the guest's disk; it is made if there is none."""
    there = cloud.image.find_image(name)
    if there is None:
        there = cloud.create_image(name, filename=DISK, disk_format="raw", container_format="bare", visibility="public", wait=True)
    return there.id


def flavor(cloud, name, ram, disk):
    """The id of a flavor; it is made if there is none."""
    there = cloud.compute.find_flavor(name)
    if there is None:
        there = cloud.compute.create_flavor(name=name, ram=ram, vcpus=1, disk=disk)
        cloud.compute.create_flavor_extra_specs(there, {"hw_rng:allowed": "True"})
    return there.id
{{ end -}}

{{- /* Results are read from the streams that Tempest writes while it runs, so that nothing is lost with its pod. */ -}}
{{- define "common.scripts.tempest-results.py" -}}
"""Reads the results of Tempest's tests, tells them as they come, and sums them up."""
import io
import subprocess
import time

import subunit
import testtools

PASSED = ("success", "xfail")


def read(place):
    """The last result of every test that has ended, by its id: {status, text}."""
    ended = {}
    for stream in sorted(place.glob("*.subunit")):
        ended |= results_of(stream)
    return ended


def results_of(stream):
    ended = {}

    def take(test):
        if test["status"] not in ("inprogress", "unknown", "exists") and test["id"]:
            text = "".join(detail.as_text() for name, detail in test["details"].items() if name in ("traceback", "reason"))
            ended[test["id"]] = {"status": test["status"], "text": text, "seconds": seconds(test["timestamps"])}

    target = testtools.StreamToDict(take)
    target.startTestRun()
    subunit.ByteStreamToStreamResult(io.BytesIO(stream.read_bytes()), non_subunit_name="output").run(target)
    return {name: result for name, result in ended.items() if name not in ("output", "subunit.parser")}


def seconds(timestamps):
    first, last = timestamps
    return (last - first).total_seconds() if first and last else 0.0


def forget(place):
    for stream in place.glob("*.subunit"):
        stream.unlink()


def follow(run, stream, deadline, total, before):
    """Prints results until the run ends, or its time is over."""
    told = set()
    while True:
        over = run.poll() is not None or time.monotonic() > deadline
        for name, result in results_of(stream).items():
            if name in told:
                continue
            told.add(name)
            print("%d/%d %s %s (%.0f s)" % (before + len(told), total, result["status"], name, result["seconds"]), flush=True)
        if over:
            return
        time.sleep(10)


def conclude(place, everything, reasons):
    """Writes junit.xml, prints what did not pass and the sums; the exit code."""
    ended = read(place)
    streams = b"".join(stream.read_bytes() for stream in sorted(place.glob("*.subunit")))
    with (place / "junit.xml").open("wb") as target:
        subprocess.run(["subunit2junitxml", "--no-passthrough"], input=streams, stdout=target)
    kinds = {}
    for test in everything:
        kinds.setdefault(kind(ended.get(test), reasons.get(test)), []).append(test)
    for name in ("skipped", "excluded", "not run", "failed"):
        for test in kinds.get(name, []):
            text = ended[test]["text"].strip() if test in ended else reasons.get(test, {}).get("reason", "")
            print("%s: %s\n%s" % (name, test, text if name == "failed" else "  " + text[:200]))
    count = {name: len(tests) for name, tests in kinds.items()}
    counting = len(everything) - count.get("needs more", 0)
    passed = count.get("passed", 0)
    share = 100 * passed / counting if counting else 100
    print("; ".join("%d %s" % (number, name) for name, number in sorted(count.items())))
    print("%d of %d that this cloud could pass: %.1f %%; as JUnit: %s" % (passed, counting, share, place / "junit.xml"))
    return 1 if count.get("failed") or count.get("not run") else 0


def kind(result, reason):
    if reason:
        return "needs more" if reason.get("needs") else "excluded"
    if result is None:
        return "not run"
    if result["status"] == "skip":
        return "skipped"
    return "passed" if result["status"] in PASSED else "failed"
{{ end -}}
