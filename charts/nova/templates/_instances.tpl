{{- /* What `kk node` reads and does in nova. */ -}}
{{- define "common.scripts.nova-instances.py" -}}
"""Prints where instances are, or executes the operations of $OPERATIONS on them and on their hosts, as lines of JSON.

Each operation is {"do", "host"} or {"do", "server", "host"}, where `host` is the one that the server leaves. What has been
done already is not repeated, so a new pod continues where a former one ended.
"""
import functools
import json
import os
import time

import openstack
from openstack import exceptions

OPERATIONS = json.loads(os.environ["OPERATIONS"])
CONCURRENCY = int(os.environ["CONCURRENCY"])
DEADLINE = time.monotonic() + int(os.environ["SECONDS"])
HAS_LOCAL_DISKS = {{ ternary "False" "True" (eq .values.storage.backend "ceph") }}
ATTEMPTS = 3
LOOKS = 15
# Nova's driver of libvirt enables a host with `AUTO:` when it starts; with another prefix it stays disabled.
REASONS = {"disable": "kk: drained", "force-down": "kk: evacuated"}
STOPPED = "kk:stopped"
# From 2.95 on, an evacuated instance would not be started. The SDK of 2025.1 requests tags without a microversion: 404.
EVACUATION, TAGS = "2.79", "2.26"
# A migration of another status is over (nova/objects/migration.py: MigrationList.get_in_progress_by_host_and_node).
MOVING = ("accepted", "queued", "preparing", "pre-migrating", "running", "migrating", "post-migrating", "finished", "confirming", "reverting")
RESOURCES = {"VCPU", "PCPU", "MEMORY_MB", "DISK_GB"}

cloud = openstack.connect()
compute, placement, identity = cloud.compute, cloud.placement, cloud.identity


def say(**event):
    print(json.dumps(event), flush=True)


def get(path):
    return placement.get(path, microversion="1.28").json()


@functools.cache
def name_of(read, identifier):
    """The name of a project or user, or its ID if keystone has none."""
    try:
        return read(identifier).name
    except exceptions.HttpException:
        return identifier


def provider(hypervisor):
    path = "/resource_providers/%s" % hypervisor.id
    inventories, used = get(path + "/inventories")["inventories"], get(path + "/usages")["usages"]
    room = {kind: int((each["total"] - each["reserved"]) * each["allocation_ratio"]) for kind, each in inventories.items()}
    claims = {consumer: each["resources"] for consumer, each in get(path + "/allocations")["allocations"].items()}
    return {"room": room, "used": used, "claims": claims}


def hosts():
    providers = {each.service_details["host"]: provider(each) for each in compute.hypervisors(details=True)}
    for service in compute.services(binary="nova-compute"):
        yield {
            "name": service.host,
            "zone": service.availability_zone,
            "isUp": service.state == "up",
            "isForcedDown": bool(service.is_forced_down),
            "isEnabled": service.status == "enabled",
            "reason": service.disabled_reason or "",
            **providers.get(service.host, {"room": {}, "used": {}, "claims": {}}),
        }


def agents():
    """Neutron's agents. One of OVN has the name of its chassis, which kk's charts call as the node; its host is lost with it."""
    for each in cloud.network.agents():
        names = {each.host, each.id, (each.configuration or {}).get("chassis_name")}
        yield {"id": each.id, "hosts": sorted(name for name in names if name)}


def facts():
    found = list(hosts())
    claims = {host["name"]: host.pop("claims") for host in found}
    servers = []
    for each in compute.servers(details=True, all_projects=True):
        if not each.compute_host:
            continue
        extra = each.flavor.extra_specs or {}
        needs = claims.get(each.compute_host, {}).get(each.id, {})
        servers.append(
            {
                "id": each.id,
                "name": each.name,
                "host": each.compute_host,
                "status": each.status,
                "task": each.task_state,
                "isLocked": bool(each.is_locked),
                "tags": each.tags or [],
                "project": name_of(identity.get_project, each.project_id),
                "user": name_of(identity.get_user, each.user_id),
                "zone": each.pinned_availability_zone,
                "needs": {kind: amount for kind, amount in needs.items() if kind in RESOURCES},
                "localDiskGB": each.flavor.disk if HAS_LOCAL_DISKS and getattr(each.image, "id", None) else 0,
                "isPinned": extra.get("hw:cpu_policy") == "dedicated",
                "volumes": [volume.id for volume in each.attached_volumes or []],
                "devices": sorted(key for key in extra if key.startswith(("pci_passthrough:", "resources:VGPU", "resources:PGPU"))),
            }
        )
    direct = {port.device_id for port in cloud.network.ports() if port.binding_vnic_type not in ("normal", "macvtap", None)}
    for server in servers:
        if server["id"] in direct:
            server["devices"].append("port")
    apart = [{"id": each.id, "members": each.member_ids} for each in compute.server_groups(all_projects=True) if each.policy == "anti-affinity"]
    say(
        hosts=found,
        servers=servers,
        apart=[each for each in apart if each["members"]],
        agents=list(agents()),
        providers=[each["name"] for each in get("/resource_providers")["resource_providers"]],
        moving=[
            {"server": each.server_id, "source": each.source_compute, "target": each.dest_compute, "status": each.status}
            for status in MOVING
            for each in compute.migrations(status=status)
        ],
    )


def request(method, path, version, **body):
    exceptions.raise_from_response(getattr(compute, method)(path, microversion=version, **body))


def service_of(host):
    return next(each for each in compute.services(binary="nova-compute", host=host))


def disable(operation):
    service = service_of(operation["host"])
    # Who has disabled it for another reason enables it.
    if service.status == "enabled" or (service.disabled_reason or "").startswith(("AUTO:", "kk:")):
        compute.disable_service(service, disabled_reason=REASONS[operation["do"]])
    if operation["do"] == "force-down":
        compute.update_service_forced_down(service, forced=True)
    return "disabled"


def enable(operation):
    service = service_of(operation["host"])
    if service.status != "enabled" and service.disabled_reason not in REASONS.values():
        raise RuntimeError("a user has disabled it: %s" % (service.disabled_reason or "without a reason"))
    if service.is_forced_down:
        compute.update_service_forced_down(service, forced=False)
        return None
    if service.state != "up":
        return None
    if service.status != "enabled":
        compute.enable_service(service)
    return "enabled"


def agents_of(host):
    return [each for each in agents() if host in each["hosts"]]


def providers_of(names):
    own = (get("/resource_providers?name=%s" % name)["resource_providers"] for name in sorted(names))
    return [each for found in own for each in found]


def delete_provider(provider):
    tree = get("/resource_providers?in_tree=%s" % provider["uuid"])["resource_providers"]
    # Those below it, of devices, come first.
    for each in sorted(tree, key=lambda each: each["uuid"] == provider["uuid"]):
        exceptions.raise_from_response(placement.delete("/resource_providers/%s" % each["uuid"]))


def remove(operation):
    """Deletes a host, which takes its aggregates and its mapping to a cell with it, its agents and its resource provider."""
    host = operation["host"]
    names = {host} | {each.name for each in compute.hypervisors(details=True) if each.service_details["host"] == host}
    names |= {each["name"] for each in get("/resource_providers")["resource_providers"] if each["name"].startswith(host + ".")}
    # Nova refuses it while instances or migrations are there.
    for service in compute.services(binary="nova-compute", host=host):
        compute.delete_service(service)
    # Neutron deletes the chassis of an agent with it.
    for agent in [] if operation.get("keepsChassis") else agents_of(host):
        cloud.network.delete_agent(agent["id"])
    # Nova leaves one in which something is allocated that is no instance's.
    for provider in providers_of(names):
        delete_provider(provider)
    # Each server of neutron hears of a deleted chassis from OVN, some time later.
    for attempt in range(LOOKS):
        time.sleep(2 if attempt else 0)
        left = ["resource provider %s" % each["name"] for each in providers_of(names)]
        left += [] if operation.get("keepsChassis") else ["agent %s" % each["id"] for each in agents_of(host)]
        if not left:
            return "deleted"
    raise RuntimeError("not deleted: %s" % ", ".join(left))


def why(server):
    """The reason of nova for the end of the last action on a server."""
    for action in compute.server_actions(server):
        events = compute.get_server_action(action.request_id, server).events or []
        details = [each["details"] for each in events if each.get("details")]
        return details[0] if details else action.message or "nova gives no reason"
    return "nova gives no reason"


def move(server, operation):
    if server.status == "VERIFY_RESIZE":
        compute.confirm_server_resize(server)
    elif server.compute_host != operation["host"]:
        return "is on %s" % server.compute_host
    elif operation["attempts"] == ATTEMPTS:
        raise RuntimeError(why(server))
    else:
        operation["attempts"] += 1
        if operation["do"] == "evacuate":
            request("post", "/servers/%s/action" % server.id, EVACUATION, json={"evacuate": {}})
        elif operation["do"] == "live" and server.status in ("ACTIVE", "PAUSED"):
            compute.live_migrate_server(server)
        else:
            compute.migrate_server(server)
    return None


def stop(server, operation):
    if server.status == "SHUTOFF":
        return "is stopped"
    if operation["attempts"] == ATTEMPTS:
        raise RuntimeError(why(server))
    operation["attempts"] += 1
    request("put", "/servers/%s/tags/%s" % (server.id, STOPPED), TAGS)
    compute.stop_server(server)
    return None


def start(server, operation):
    if server.status == "ACTIVE":
        request("delete", "/servers/%s/tags/%s" % (server.id, STOPPED), TAGS)
        return "runs"
    if operation["attempts"] == ATTEMPTS:
        raise RuntimeError(why(server))
    operation["attempts"] += 1
    compute.start_server(server)
    return None


def step(operation):
    """Does what is next. Returns the result when the operation is done."""
    if "server" not in operation:
        return {"enable": enable, "disable": disable, "force-down": disable, "remove": remove}[operation["do"]](operation)
    # Nova sets an evacuated server ACTIVE before it sets its host. Migrations are read first: the server is as new as they are.
    is_evacuated = operation["do"] == "evacuate" and any(
        each.status in MOVING for each in compute.migrations(server_id=operation["server"], migration_type="evacuation")
    )
    try:
        server = compute.get_server(operation["server"])
    except exceptions.NotFoundException:
        return "is deleted"
    if server.task_state or is_evacuated:
        return None
    if server.status == "ERROR" and operation["do"] != "evacuate":
        raise RuntimeError((server.fault or {}).get("message") or "it is in ERROR")
    try:
        return {"stop": stop, "start": start}.get(operation["do"], move)(server, operation)
    except exceptions.ConflictException:
        # Its user does something with it.
        return None


def execute():
    waiting, running = [{**each, "attempts": 0} for each in OPERATIONS], []
    while waiting or running:
        # What concerns a host is done before what follows it.
        while waiting and len(running) < CONCURRENCY and not any("server" not in each for each in running):
            if "server" not in waiting[0] and running:
                break
            running.append(waiting.pop(0))
            say(event="started", **running[-1])
        for operation in list(running):
            try:
                result = step(operation)
                if result is None and time.monotonic() < DEADLINE:
                    continue
                ended = {"event": "done", "result": result} if result else {"event": "failed", "result": "not done in time"}
            except Exception as error:
                ended = {"event": "failed", "result": getattr(error, "details", None) or str(error)}
            running.remove(operation)
            say(**operation, **ended)
            if "server" not in operation and ended["event"] == "failed":
                waiting.clear()
        time.sleep(1)


if OPERATIONS:
    execute()
else:
    facts()
{{ end -}}
