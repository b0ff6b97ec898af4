{{- /*
Uses the cloud as a user does, service by service. IMAGE and FLAVOR name what the server starts from, instead of a
disk and a flavor that the test makes.
*/ -}}
{{- define "common.scripts.user-test.py" -}}
"""Uses every service of the catalogue in the smallest way, in a project that is removed afterwards. Logs TAP 14."""
import datetime
import hashlib
import io
import json
import os
import re
import secrets
import signal
import sys
import time
import traceback

import openstack
from openstack import exceptions
from os_service_types import ServiceTypes

REGION = os.environ.get("OS_REGION_NAME")
# Regions may share keystone: what a project of another region has, is not seen here.
NOTE = "Made by kk test in %s, which removes it; an hour later the next run there does." % REGION
NAME = re.compile(r"kk-test-(\d{8}T\d{6})-[0-9a-f]{6}")
NOW = datetime.datetime.now(datetime.timezone.utc)
# The name of the project, of its user, and of all that they make.
OWN = "kk-test-%s-%s" % (NOW.strftime("%Y%m%dT%H%M%S"), secrets.token_hex(3))
PASSWORD = secrets.token_urlsafe(24)
ROLES = ["member", "creator", "heat_stack_owner", "load-balancer_member"]
TEXT = "%s has started" % OWN
# A program of BIOS that writes the text behind it to the first serial port, and halts.
BOOT = bytes.fromhex("fa31c08ed8fcbe1f7cbafd03eca82074fbac84c07406baf803eeebedf4ebfd")
# One partition, because services refuse a disk without any.
PARTITION = bytes.fromhex("80010100830101010100000001000000")


def boot_disk():
    program = BOOT + b"\r\n" + TEXT.encode() + b"\r\n\0"
    sector = program.ljust(446, b"\0") + PARTITION.ljust(64, b"\0") + b"\x55\xaa"
    return sector.ljust(1024 * 1024, b"\0")


class Ended(BaseException):
    """The pod is deleted."""


class Skipped(Exception):
    """The cloud does not have what the step needs."""


def end(*_):
    """Ends the test at its next wait or step: what a request makes is known only after its response."""
    ended.append(True)


def expect_time():
    if ended:
        raise Ended("the test was ended")


def connect(**auth):
    """A connection to one project, with the account in the variables of the pod, or another one."""
    access = {"auth_url": os.environ["OS_AUTH_URL"], "project_domain_id": domain, "user_domain_id": domain, **auth}
    where = {"region_name": REGION, "interface": os.environ.get("OS_INTERFACE", "internal")}
    return openstack.connect(load_yaml_config=False, load_envvars=False, auth=access, api_timeout=60, **where)


def until(seconds, what, look):
    """The first result of `look` that is true; `what` is awaited."""
    deadline = time.monotonic() + seconds
    while True:
        expect_time()
        found = look()
        if found:
            return found
        if time.monotonic() > deadline:
            raise TimeoutError("%s: not within %d s" % (what, seconds))
        time.sleep(0.5)


def until_status(seconds, read, wanted, failed=("error",)):
    """The object after it has a status; raises for one that has failed."""
    seen = []

    def look():
        thing = read()
        seen[:] = [str(thing.status)]
        if seen[0].lower().startswith(failed):
            fault = getattr(thing, "fault", None) or getattr(thing, "status_reason", None) or ""
            raise RuntimeError("%s is %s %s" % (thing.name, seen[0], fault.get("message", fault) if isinstance(fault, dict) else fault))
        return thing if seen[0].lower() == wanted else None

    try:
        return until(seconds, wanted, look)
    except TimeoutError as error:
        raise TimeoutError("%s; it is %s" % (error, seen[0])) from None


def grant(project, user):
    """Gives the user of a project its roles; returns them."""
    roles = list(filter(None, map(admin.identity.find_role, ROLES)))
    for role in roles:
        admin.identity.assign_project_role_to_user(project, user, role)
    return roles


def token():
    """A project with one user, who gets a token for it."""
    project = admin.identity.create_project(name=OWN, domain_id=domain, description=NOTE)
    user = admin.identity.create_user(name=OWN, domain_id=domain, password=PASSWORD, default_project_id=project.id, description=NOTE)
    grant(project, user)
    made["cloud"] = connect(username=OWN, password=PASSWORD, project_id=project.id)
    made["cloud"].authorize()
    made["project"] = project.id


def image():
    """A disk, which is stored and read again."""
    disk = boot_disk()
    images = made["cloud"].image
    made["image"] = images.create_image(
        name=OWN, data=io.BytesIO(disk), disk_format="raw", container_format="bare", visibility="private",
        validate_checksum=False, use_import=False)
    until_status(60, lambda: images.get_image(made["image"].id), "active", ("killed", "deleted"))
    stored = images.download_image(made["image"].id)
    assert hashlib.sha256(stored.content).digest() == hashlib.sha256(disk).digest(), "the image differs from what was stored"


def network():
    """A network with a subnet."""
    there = made["cloud"].network
    made["network"] = there.create_network(name=OWN)
    there.create_subnet(name=OWN, network_id=made["network"].id, ip_version=4, cidr="192.0.2.0/28", gateway_ip=None)


def flavor_for(image):
    """FLAVOR, or a flavor of the project alone."""
    wanted = os.environ.get("FLAVOR")
    if wanted:
        return admin.compute.find_flavor(wanted, ignore_missing=False)
    size = {"ram": max(128, image.min_ram or 0), "vcpus": 1, "disk": max(1, image.min_disk or 0)}
    flavor = admin.compute.create_flavor(name=OWN, is_public=False, **size)
    admin.compute.flavor_add_tenant_access(flavor.id, made["project"])
    return flavor


def server():
    """A server that runs, has an address, and writes to its console."""
    compute = made["cloud"].compute
    wanted = os.environ.get("IMAGE")
    started_from = made["cloud"].image.find_image(wanted, ignore_missing=False) if wanted else made["image"]
    # Nova's databases, queues and cells answer only with the creation, which is awaited below.
    made["server"] = compute.create_server(
        name=OWN, image_id=started_from.id, flavor_id=flavor_for(started_from).id, networks=[{"uuid": made["network"].id}])
    found = until_status(180, lambda: compute.get_server(made["server"].id), "active")
    addresses = [each["addr"] for every in found.addresses.values() for each in every]
    assert addresses, "it has no address"

    def text():
        log = compute.get_server_console_output(made["server"].id)["output"] or ""
        return log.strip() if wanted else TEXT in log

    until(90, "text on the console of the server", text)


def volume():
    """A volume, which is attached to the server if it runs."""
    cloud = made["cloud"]
    disk = cloud.block_storage.create_volume(name=OWN, size=1)
    until_status(90, lambda: cloud.block_storage.get_volume(disk.id), "available")
    if "server" in passed:
        cloud.compute.create_volume_attachment(made["server"].id, volume_id=disk.id)
        until_status(90, lambda: cloud.block_storage.get_volume(disk.id), "in-use")


def secret():
    """A secret, which is read again."""
    body = {"name": OWN, "payload": PASSWORD, "payload_content_type": "text/plain"}
    stored = made["cloud"].session.post("/v1/secrets", json=body, **KEYS)
    path = "/v1/secrets/%s/payload" % stored.json()["secret_ref"].rsplit("/", 1)[1]
    read = made["cloud"].session.get(path, headers={"Accept": "text/plain"}, **KEYS)
    assert read.text == PASSWORD, "the secret differs from what was stored"


def stack():
    """A stack with one resource."""
    resources = {"text": {"type": "OS::Heat::RandomString"}}
    outputs = {"text": {"value": {"get_attr": ["text", "value"]}}}
    template = {"heat_template_version": "2021-04-16", "resources": resources, "outputs": outputs}
    stacks = made["cloud"].orchestration
    made["stack"] = stacks.create_stack(name=OWN, template=template)
    found = until_status(90, lambda: stacks.get_stack(made["stack"].id), "create_complete", ("create_failed",))
    assert found.outputs and found.outputs[0]["output_value"], "the stack has no output"


def objects():
    """An object in a container, which is read again."""
    store = made["cloud"].object_store
    store.create_container(name=OWN)
    store.upload_object(OWN, OWN, data=TEXT)
    assert bytes(store.download_object(OWN, container=OWN)).decode() == TEXT, "the object differs from what was stored"


def zone():
    """A zone of DNS."""
    dns = made["cloud"].dns
    made["zone"] = dns.create_zone(name="%s.example." % OWN.lower(), email="kk@example.org")
    until_status(60, lambda: dns.get_zone(made["zone"].id), "active")


def balancer():
    """A load balancer; only one of OVN, because others take a virtual machine."""
    service = made["cloud"].load_balancer
    if "ovn" not in [each.name for each in service.providers()]:
        raise Skipped("octavia has no provider ovn")
    subnet = next(made["cloud"].network.subnets(network_id=made["network"].id))
    found = service.create_load_balancer(name=OWN, vip_subnet_id=subnet.id, provider="ovn")
    until(90, "an active load balancer", lambda: service.get_load_balancer(found.id).provisioning_status == "ACTIVE")


def gone(items, delete, find=None):
    """Deletes objects, and waits until the last is gone."""
    items = list(items)
    for each in items:
        delete(each)
    for each in items if find else []:
        until(90, "the end of %s" % (each.name or each.id), lambda: missing(find, each.id))


def missing(find, thing_id):
    try:
        found = find(thing_id)
    except exceptions.NotFoundException:
        return True
    return str(getattr(found, "status", "")).lower() in ("deleted", "delete_complete")


def remove_secrets(cloud):
    for each in cloud.session.get("/v1/secrets", **KEYS).json()["secrets"]:
        cloud.session.delete("/v1/secrets/" + each["secret_ref"].rsplit("/", 1)[1], **KEYS)


def remove_containers(store):
    for container in store.containers():
        for each in store.objects(container):
            store.delete_object(each, container=container.name)
        store.delete_container(container)


def remove_networks(project):
    """
    As the administrator: a user may not delete the default group, which a request of the user makes again. A
    port goes after its server, which may be younger than the list of servers that were deleted.
    """
    network = admin.network
    ports = [port for port in network.ports(project_id=project.id) if not (port.device_owner or "").startswith("network:")]
    for port in ports:
        if (port.device_owner or "").startswith("compute:"):
            until(30, "the end of server %s" % port.device_id, lambda: missing(admin.compute.get_server, port.device_id))
    gone(ports, network.delete_port)
    gone(network.networks(project_id=project.id), network.delete_network)
    gone(network.security_groups(project_id=project.id), network.delete_security_group)


def remove_flavors(project):
    flavors = admin.compute.flavors(is_public=None)
    gone([each for each in flavors if each.name == project.name], admin.compute.delete_flavor)


# What a project can have, by service, in the order of its removal by its user.
REMOVALS = [
    ("orchestration", lambda stacks: gone(stacks.stacks(), stacks.delete_stack, stacks.get_stack)),
    ("compute", lambda compute: gone(compute.servers(), compute.delete_server, compute.get_server)),
    ("block-storage", lambda disks: gone(disks.volumes(), disks.delete_volume, disks.get_volume)),
    ("object-store", remove_containers),
    ("dns", lambda dns: gone(dns.zones(), dns.delete_zone)),
    ("load-balancer", lambda balancers: gone(
        balancers.load_balancers(),
        lambda each: balancers.delete_load_balancer(each, cascade=True), balancers.get_load_balancer)),
    ("image", lambda images: gone(images.images(visibility="private"), images.delete_image)),
]


def removals(project, user):
    """The steps of the removal, in order; without a user that has roles the project is empty."""
    if user and grant(project, user):
        # The password of an earlier run is not known.
        password = PASSWORD if project.name == OWN else secrets.token_urlsafe(24)
        if project.name != OWN:
            admin.identity.update_user(user, password=password)
        cloud = connect(username=user.name, password=password, project_id=project.id)
        yield from (
            (service, lambda delete=delete, service=service: delete(getattr(cloud, service.replace("-", "_"))))
            for service, delete in REMOVALS)
        yield "key-manager", lambda: remove_secrets(cloud)
    yield "compute", lambda: remove_flavors(project)
    yield "network", lambda: remove_networks(project)


def remove(project):
    """Removes a project with all that it has. One with a rest stays, so that a later run can find the rest."""
    user = admin.identity.find_user(project.name, domain_id=domain)
    steps = [(service, delete) for service, delete in removals(project, user) if service in services]
    for attempt in range(3):
        errors = []
        for service, delete in steps:
            # A server, a balancer or a stack that stays keeps its ports.
            if service == "network" and errors:
                continue
            try:
                delete()
            except Exception as error:
                errors.append("%s: %s" % (service, error))
        if not errors:
            break
        time.sleep(2)
    if errors:
        raise RuntimeError("project %s stays, because not all in it could be removed: %s" % (project.name, "; ".join(errors)))
    if user:
        admin.identity.delete_user(user)
    admin.identity.delete_project(project)


def remove_own():
    for project in admin.identity.projects(name=OWN, domain_id=domain):
        remove(project)


def remove_old():
    """Removes the projects of runs that were killed, and could not remove them."""
    for project in admin.identity.projects(domain_id=domain):
        name = NAME.fullmatch(project.name)
        if not name or project.description != NOTE:
            continue
        made_at = datetime.datetime.strptime(name[1], "%Y%m%dT%H%M%S").replace(tzinfo=datetime.timezone.utc)
        if NOW - made_at > datetime.timedelta(hours=1):
            print("# removes %s, which a run that was killed has left" % project.name, flush=True)
            remove(project)


def point(number, name, step):
    """Runs a step and logs its result; returns whether it passed."""
    began = time.monotonic()
    why = skip = None
    try:
        step()
    except Skipped as error:
        skip = error
    except Exception as error:
        print("".join("# %s\n" % line for line in traceback.format_exc(limit=-2).splitlines()), end="")
        why = "%s: %s" % (type(error).__name__, error)
    print("%sok %d - %s%s" % ("not " if why else "", number, name, " # SKIP %s" % skip if skip else ""))
    details = {"duration_ms": round((time.monotonic() - began) * 1000), **({"message": why} if why else {})}
    print("  ---\n%s  ..." % "".join("  %s: %s\n" % (key, json.dumps(value)) for key, value in details.items()), flush=True)
    return why is None and skip is None, why is not None


def checked(service, needs, step):
    """A step that is skipped without its service, or if what it needs has not passed."""
    def run():
        if service not in services:
            raise Skipped("the catalogue has no %s" % service)
        absent = [each for each in needs if each not in passed]
        if absent:
            raise Skipped("it needs: %s" % ", ".join(absent))
        step()
    return run


KEYS = {"endpoint_filter": {"service_type": "key-manager", "interface": os.environ.get("OS_INTERFACE", "internal")}}
# Name, service of the catalogue, steps that it needs, function.
STEPS = [
    ("token", "identity", [], token),
    ("image", "image", ["token"], image),
    ("network", "network", ["token"], network),
    ("server", "compute", ["image", "network"], server),
    ("volume", "block-storage", ["token"], volume),
    ("secret", "key-manager", ["token"], secret),
    ("stack", "orchestration", ["token"], stack),
    ("object", "object-store", ["token"], objects),
    ("zone", "dns", ["token"], zone),
    ("load balancer", "load-balancer", ["network"], balancer),
]
made, passed, failed, ended = {}, set(), False, []

print("TAP version 14\n1..%d" % (len(STEPS) + 1), flush=True)
signal.signal(signal.SIGTERM, end)
signal.signal(signal.SIGINT, end)
admin = openstack.connect(api_timeout=60)
access = admin.session.auth.get_access(admin.session)
domain = access.user_domain_id
types = ServiceTypes()
services = {
    types.get_service_type(each["type"]) or each["type"] for each in access.service_catalog.catalog
    if any(REGION in (None, endpoint.get("region_id")) for endpoint in each["endpoints"])}

try:
    try:
        remove_old()
    except Exception as error:
        print("# %s" % error, flush=True)
    for number, (name, service, needs, step) in enumerate(STEPS, 1):
        expect_time()
        good, bad = point(number, name, checked(service, needs, step))
        failed = failed or bad
        if good:
            passed.add(name)
except Ended as error:
    failed = True
    print("# %s" % error, flush=True)
finally:
    # What is made is removed in any case; the kubelet waits for it, as `grace` says.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ended.clear()
    _, bad = point(len(STEPS) + 1, "removal", remove_own)
sys.exit(1 if failed or bad else 0)
{{ end -}}
