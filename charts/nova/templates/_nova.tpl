{{- /* oslo.db for the API's database, which has the cells. */ -}}
{{- define "common.config.block.api_database" -}}
{{- include "common.config.block.database" (dict "ctx" .ctx "params" (dict "name" "nova_api" "section" "api_database")) -}}
{{- end -}}

{{- /* The metadata of instances, through neutron's proxy, which signs with the same secret. */ -}}
{{- define "common.config.block.metadata" -}}
options:
  neutron:
    service_metadata_proxy: true
    metadata_proxy_shared_secret: {{ include "common.endpoints.credential" (dict "ctx" .ctx "oslo" true "path" "compute_metadata.shared_secret") | quote }}
{{- end -}}

{{- /* The URL at which browsers find the consoles, and the proxy's port. */ -}}
{{- define "common.config.block.console" -}}
{{- $proxy := dict "ctx" .ctx "type" "compute_novnc_proxy" -}}
options:
  {{- if .ctx.values.tls.internal }}
  DEFAULT: {ssl_only: true, cert: /etc/tls/tls.crt, key: /etc/tls/tls.key}
  {{- end }}
  vnc:
    {{- if .ctx.values.tls.internal }}
    auth_schemes: vencrypt
    vencrypt_ca_certs: /etc/tls/ca.crt
    vencrypt_client_cert: /etc/tls/tls.crt
    vencrypt_client_key: /etc/tls/tls.key
    {{- end }}
    novncproxy_base_url: {{ include "common.endpoints.uri" (merge (dict "interface" "public") $proxy) | quote }}
    novncproxy_port: {{ include "common.endpoints.port" (merge (dict "interface" "service") $proxy) }}
{{- end -}}

{{- /*
The disks of instances: files on their node, or images in Ceph, whose key libvirt has under the same UUID.
*/ -}}
{{- define "common.config.block.disks" -}}
{{- if eq .ctx.values.storage.backend "ceph" -}}
options:
  libvirt:
    images_type: rbd
    images_rbd_pool: vms
    images_rbd_ceph_conf: /etc/ceph/ceph.conf
    rbd_user: cinder
    rbd_secret_uuid: 457eb676-33da-42ec-9a8c-9293d545c337
    disk_cachemodes: network=writeback
{{- end -}}
{{- end -}}

{{- /* Runs nova-status if there are cells to upgrade; warnings (1) do not stop the upgrade. */ -}}
{{- define "common.scripts.nova-upgrade-check.sh" -}}
set -euo pipefail
version=$(nova-manage api_db version | tail --lines 1)
if [ "$version" = None ] || ! nova-manage cell_v2 list_cells | grep --quiet --word-regexp cell1; then
  echo "there are no cells yet: nothing to upgrade"
  exit
fi
status=0
nova-status upgrade check || status=$?
[ "$status" -le 1 ]
{{ end -}}

{{- /*
Cells have templates of URLs, which each service fills from its own configuration: a new password changes no
row.
*/ -}}
{{- define "common.scripts.nova-cells.sh" -}}
{{- $query := ternary "?{query}" "" .values.tls.internal -}}
set -euo pipefail

database='{scheme}://{username}:{password}@{hostname}:{port}'
bus='{scheme}://{username}:{password}@{hostname}:{port}'
members=$(tr --complement --delete , <<<"$OS_DEFAULT__TRANSPORT_URL" | wc --chars)
if [ "$members" -gt 0 ]; then
  bus='{scheme}://{username1}:{password1}@{hostname1}:{port1}'
  for member in $(seq 2 $((members + 1))); do
    bus+=",{username$member}:{password$member}@{hostname$member}:{port$member}"
  done
fi
# The virtual host is `/`, which stands after a slash.
bus+=//

nova-manage cell_v2 map_cell0 --database_connection "$database/{path}_cell0{{ $query }}"
cell=$(nova-manage cell_v2 list_cells | awk '$2 == "cell1" { print $4 }')
if [ -n "$cell" ]; then
  nova-manage cell_v2 update_cell --cell_uuid "$cell" --database_connection "$database/{path}{{ $query }}" --transport-url "$bus"
else
  nova-manage cell_v2 create_cell --name cell1 --database_connection "$database/{path}{{ $query }}" --transport-url "$bus"
fi
{{ end -}}

{{- /* Starts nova-compute when libvirt has detected whether KVM runs guests on this node, with the options of this node. */ -}}
{{- define "common.scripts.nova-compute.sh" -}}
set -euo pipefail
until [ -s /run/libvirt/virt-type ] && [ -S /run/libvirt/libvirt-sock ]; do
  echo "waiting for libvirt"
  sleep 2
done
if [ -z "$VIRT_TYPE" ]; then
  OS_LIBVIRT__VIRT_TYPE=$(cat /run/libvirt/virt-type)
  export OS_LIBVIRT__VIRT_TYPE
fi
# How libvirt of this node migrates, under the names of nova's options; those in nova.conf take precedence.
while IFS== read -r option value; do
  grep --quiet "^$option *=" /etc/nova/nova.conf || export "OS_LIBVIRT__${option^^}=$value"
done < <(cat /run/libvirt/migration 2>/dev/null || true)
# By these nova creates directories and copies disks on other nodes (nova/virt/libvirt/volume/remotefs.py, SshDriver).
mkdir -p /tmp/remote
for program in ssh scp; do
  printf '#!/bin/sh\nexec python3 /scripts/nova-remote.py %s "$@"\n' $program >/tmp/remote/$program
  chmod 755 /tmp/remote/$program
done
export PATH=/tmp/remote:$PATH
while :; do python3 /scripts/nova-remote.py serve || sleep 5; done &
exec nova-compute
{{ end -}}

{{- /* Before nova-compute ends, so that neither an upgrade nor a change of its configuration aborts a task. */ -}}
{{- define "common.scripts.nova-drain.py" -}}
"""Disables this host for new servers, and waits until it builds, resizes, migrates and changes none, at most $DRAIN_SECONDS.

Asks the conductor and Placement, as nova-compute does; if they do not answer, no task can end, and there is nothing to wait for.
"""
import os
import signal
import sys
import time

from nova import config, context, exception, objects
from nova.conductor import rpcapi
from nova.conf import CONF
from nova.objects import base
from nova.scheduler.client import report

MIGRATING = ["accepted", "queued", "pre-migrating", "preparing", "migrating", "running", "running post-copy", "post-migrating"]
SECONDS_PER_QUERY = 10
QUERIES_THAT_MAY_FAIL = 3
IDLE_QUERIES = 2
# The scheduler may have chosen this host before it was disabled, and no record of the server exists yet.
UNKNOWN_QUERIES = 5
# Nova's driver of libvirt enables a host with this prefix when it starts, and no other.
REASON = "AUTO: kk: the pod of nova-compute ends"


def disable():
    service = objects.Service.get_by_compute_host(context.get_admin_context(), CONF.host)
    if not service.disabled:
        service.disabled, service.disabled_reason = True, REASON
        service.save()


def tasks(servers):
    admin = context.get_admin_context()
    for server in servers:
        if server.task_state:
            yield "%s is %s" % (server.uuid, server.task_state)
    for migration in objects.MigrationList.get_by_filters(admin, {"host": CONF.host, "status": MIGRATING}):
        yield "%s: %s is %s" % (migration.instance_uuid, migration.migration_type, migration.status)


def coming(servers):
    """Servers that the scheduler has chosen this host for, and that are on no host yet: Placement has their allocations."""
    admin = context.get_admin_context()
    known = {server.uuid for server in servers}
    for node in objects.ComputeNodeList.get_all_by_host(admin, CONF.host):
        allocations = report.report_client_singleton().get_allocations_for_resource_provider(admin, node.uuid).allocations
        for consumer in set(allocations) - known:
            try:
                server = objects.Instance.get_by_uuid(admin, consumer, expected_attrs=[])
            except exception.InstanceNotFound:
                if not is_migration(consumer):
                    yield consumer, False
            else:
                if server.host is None:
                    yield consumer, True


def is_migration(uuid):
    try:
        objects.Migration.get_by_uuid(context.get_admin_context(), uuid)
    except exception.MigrationNotFound:
        return False
    return True


def late(*_):
    raise TimeoutError("the conductor did not answer within %d s" % SECONDS_PER_QUERY)


config.parse_args(sys.argv)
objects.register_all()
base.NovaObject.indirection_api = rpcapi.ConductorAPI()
signal.signal(signal.SIGALRM, late)
end = time.monotonic() + int(os.environ["DRAIN_SECONDS"] or 60)
failed = idle = queries = 0
is_disabled = False
while time.monotonic() < end:
    signal.alarm(SECONDS_PER_QUERY)
    try:
        if not is_disabled:
            disable()
            is_disabled = True
        servers = objects.InstanceList.get_by_host(context.get_admin_context(), CONF.host, expected_attrs=[])
        found = list(tasks(servers))
        found += ["%s comes" % uuid for uuid, is_known in coming(servers) if is_known or queries < UNKNOWN_QUERIES]
        queries += 1
    except Exception as error:
        failed += 1
        print(error, file=sys.stderr)
        if failed == QUERIES_THAT_MAY_FAIL:
            break
    else:
        idle = 0 if found else idle + 1
        if idle == IDLE_QUERIES:
            break
        if found:
            print("; ".join(found), flush=True)
    finally:
        signal.alarm(0)
    time.sleep(2)
# Python would wait for ten seconds for the threads of the message bus.
os._exit(0)
{{ end -}}

{{- define "common.scripts.nova-hosts.py" -}}
"""Adds the nodes of nova-compute to their cell. A new one is found when its nova-compute has registered."""
import subprocess
import time
import urllib.parse

{{ include "common.scripts.cluster" . }}

COMPUTE = "app.kubernetes.io/instance={{ .release }},app.kubernetes.io/component=compute"


def manage(*command, **options):
    return subprocess.run(["nova-manage", "cell_v2", *command], text=True, **options)


{{ include "common.scripts.lost-pods" . }}


def missing():
    """The nodes with a nova-compute that are in no cell. Those that are lost are found when they are back."""
    query = urllib.parse.urlencode({"labelSelector": COMPUTE})
    pods = request("GET", "/api/v1/namespaces/%s/pods?%s" % (NAMESPACE, query))["items"]
    nodes = {pod["spec"]["nodeName"] for pod in pods if "nodeName" in pod["spec"] and not is_lost(pod)}
    hosts = manage("list_hosts", stdout=subprocess.PIPE, check=True).stdout
    return sorted(nodes - {cell.strip() for row in hosts.splitlines() for cell in row.split("|")})


tries = 0
while left := missing():
    print("not in a cell yet: %s" % ", ".join(left), flush=True)
    # The scheduler does the same periodically: the second of two fails, and has nothing to do. A host that was deleted before
    # may be found by its service only; one that is new would not get its mark so.
    manage("discover_hosts", *(["--by-service"] if tries >= 20 else []))
    tries += 1
    time.sleep(2)
print("all nodes are in a cell")
{{ end -}}

{{- define "common.scripts.nova-archive.sh" -}}
set -eu
nova-manage db archive_deleted_rows --all-cells --until-complete --before "$(date --date '90 days ago' +%Y-%m-%d)"
{{ end -}}

{{- define "common.scripts.nova-flavors.py" -}}
"""Creates the flavors of $FLAVORS that do not exist; others are unchanged."""
import json
import os

import openstack

compute = openstack.connect().compute
there = {flavor.name for flavor in compute.flavors(is_public=None)}
for name, flavor in json.loads(os.environ["FLAVORS"]).items():
    if name not in there:
        compute.create_flavor(name=name, **flavor)
        print("flavor %s" % name)
{{ end -}}

{{- define "common.scripts.nova-aggregates.py" -}}
"""Keeps an aggregate for each group of $AGGREGATES: its hosts, its metadata with its availability zone, and its name.

An aggregate of this release has a mark in its metadata; no other is changed. Hosts follow the labels of their nodes.
"""
import sys

import openstack
from openstack import exceptions

{{ include "common.scripts.cluster" . }}

MARK = "kk:node-group"
OWNER = "%s/{{ .release }}/" % NAMESPACE
compute = openstack.connect().compute
problems = []


def attempt(what, call, *arguments, **fields):
    """Returns what the call returns, or what was done, and prints it; None if nova refuses, which is a problem: it moves no
    host with instances to another zone."""
    try:
        done = call(*arguments, **fields)
    except exceptions.HttpException as error:
        problems.append("%s: %s" % (what, error.details or error))
        return None
    print(what, flush=True)
    return what if done is None else done


def members(groups):
    """The hosts of each group by its name: the matching nodes on which nova has a nova-compute. No host has two zones."""
    nodes = {node["metadata"]["name"]: node["metadata"].get("labels", {}) for node in request("GET", "/api/v1/nodes")["items"]}
    known = {service.host for service in compute.services() if service.binary == "nova-compute"}
    hosts, zones = {}, {}
    for group in groups:
        matching = {name for name, labels in nodes.items() if all(labels.get(each["key"]) in each["values"] for each in group["labels"])}
        for host in sorted(matching - known):
            print("%s of %s has no nova-compute yet" % (host, group["group"]))
        hosts[group["group"]] = matching & known
        for host in sorted(matching & known) if group["zone"] else ():
            first = zones.setdefault(host, group)
            if first["zone"] != group["zone"]:
                hosts[group["group"]].remove(host)
                both = (first["group"], group["group"], first["zone"], group["zone"])
                problems.append("%s is in the groups %s and %s with the availability zones %s and %s" % (host, *both))
    return hosts


def remove(aggregate, hosts):
    gone = [attempt("%s: remove %s" % (aggregate.name, host), compute.remove_host_from_aggregate, aggregate, host) for host in sorted(hosts)]
    return None not in gone


def find_or_create(group, there):
    """The aggregate of a group. An empty one of its name without metadata is from a run that ended before it set the mark."""
    for aggregate in there:
        if (aggregate.metadata or {}).get(MARK) == OWNER + group["group"]:
            return aggregate
    for aggregate in there:
        if aggregate.name == group["name"] and (aggregate.hosts or aggregate.metadata):
            problems.append("%s: an aggregate of this name exists, and is not of the group %s" % (group["name"], group["group"]))
            return None
        if aggregate.name == group["name"]:
            return aggregate
    return attempt("%s: create" % group["name"], compute.create_aggregate, name=group["name"])


def update(aggregate, group, hosts):
    if aggregate.name != group["name"]:
        attempt("%s: rename to %s" % (aggregate.name, group["name"]), compute.update_aggregate, aggregate, name=group["name"])
    wanted = {**group["metadata"], MARK: OWNER + group["group"]}
    if group["zone"]:
        wanted["availability_zone"] = group["zone"]
    there = aggregate.metadata or {}
    changed = {key: wanted.get(key) for key in {**there, **wanted} if there.get(key) != wanted.get(key)}
    if changed:
        attempt("%s: set %s" % (group["name"], ", ".join(sorted(changed))), compute.set_aggregate_metadata, aggregate, changed)
    for host in sorted(hosts - set(aggregate.hosts or [])):
        attempt("%s: add %s" % (group["name"], host), compute.add_host_to_aggregate, aggregate, host)


groups = json.loads(os.environ["AGGREGATES"] or "[]")
hosts = members(groups)
there = list(compute.aggregates())
# Hosts leave first, because a host cannot be in two zones.
for aggregate in there:
    mark = (aggregate.metadata or {}).get(MARK, "")
    if mark.startswith(OWNER):
        group = mark[len(OWNER) :]
        if remove(aggregate, set(aggregate.hosts or []) - hosts.get(group, set())) and group not in hosts:
            attempt("%s: delete" % aggregate.name, compute.delete_aggregate, aggregate)
for group in groups:
    aggregate = find_or_create(group, there)
    if aggregate is not None:
        update(aggregate, group, hosts[group["group"]])
for problem in problems:
    print(problem, file=sys.stderr)
sys.exit(1 if problems else 0)
{{ end -}}

{{- define "common.scripts.nova-test.py" -}}
"""Asks for the services of compute: all must be up, and one of them on a node."""
import openstack

services = list(openstack.connect().compute.services())
for service in services:
    print("%s on %s is %s" % (service.binary, service.host, service.state))
assert any(service.binary == "nova-compute" for service in services), "no node runs virtual machines"
assert all(service.state == "up" for service in services if service.status == "enabled"), "a service is down"
{{ end -}}
