{{- define "common.scripts.cleanup.py" -}}
"""Deletes from other services what CLEANUP names, [{kind, name, …}]. A missing object is no error."""
import json
import os
import time
{{- if hasKey .jobs "db-create" }}

{{ include "common.scripts.database" . }}


def drop_database(item):
    connection.query("DROP DATABASE IF EXISTS `%s`" % item["name"].replace("`", "``"))


def drop_account(item):
    connection.cursor().execute("DROP USER IF EXISTS %s@'%%'", (item["name"],))
{{- end }}
{{- if hasKey .jobs "bus-create" }}

{{ include "common.scripts.bus" . }}


def queues_by_user(virtual_host):
    """(user, queue) of each consumer. RabbitMQ knows the user of a connection some seconds after it was opened."""
    for attempt in range(15):
        time.sleep(2 if attempt else 0)
        consumers = bus("GET", "consumers", virtual_host)
        found = {(dict(each["channel_details"]).get("user"), each["queue"]["name"]) for each in consumers}
        if all(user for user, _ in found):
            break
    return found


def drop_bus_user(item):
    """Deletes the user, which then creates no queue again, and the queues that it consumes, which would stay forever."""
    found = queues_by_user(item["virtualHost"])
    queues = {queue for user, queue in found if user == item["name"]}
    for queue in sorted({queue for user, queue in found if not user} - queues):
        print("the queue %s stays: RabbitMQ does not know which user consumes it" % queue)
    for path in [("users", item["name"]), *(("queues", item["virtualHost"], queue) for queue in queues)]:
        try:
            bus("DELETE", *path)
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise
{{- end }}
{{- if hasKey .jobs "register" }}

import openstack

identity = openstack.connect().identity


def drop_service(item):
    for service in list(identity.services(type=item["type"])):
        for endpoint in list(identity.endpoints(service_id=service.id)):
            if endpoint.region_id == item["region"]:
                identity.delete_endpoint(endpoint)
        if not list(identity.endpoints(service_id=service.id)):
            identity.delete_service(service)


def drop_domain(item):
    domain = identity.find_domain(item["name"])
    if domain:
        identity.update_domain(domain, is_enabled=False)
        identity.delete_domain(domain)


def drop_user(item):
    domain = identity.find_domain(item["domain"])
    user = domain and identity.find_user(item["name"], domain_id=domain.id)
    if user:
        identity.delete_user(user)
{{- end }}
{{- $pools := list -}}
{{- range .files }}{{- with .data }}{{- $pools = append $pools . }}{{- end }}{{- end }}
{{- if $pools }}

import rados
import rbd

RBD = rbd.RBD()


def why_it_stays(pool, name):
    """Deletes an image of RBD with its snapshots. Returns why it stays: it is open, or another one is a clone of it."""
    try:
        with rbd.Image(pool, name, read_only=True) as image:
            if list(image.watchers_list()):
                return "it is open"
        with rbd.Image(pool, name) as image:
            snapshots = [each["name"] for each in image.list_snaps()]
            # A snapshot with clones stays protected: then none is removed.
            for snapshot in filter(image.is_protected_snap, snapshots):
                image.unprotect_snap(snapshot)
            for snapshot in snapshots:
                image.remove_snap(snapshot)
        RBD.remove(pool, name)
    except rbd.ImageNotFound:
        return None
    except (rbd.ImageBusy, rbd.ImageHasSnapshots) as error:
        return str(error)


def drop_data_of_pool(item):
    """Deletes clones before their parents, so it repeats until nothing changes. Exits with the reasons if images stay."""
    options = {"mon_host": os.environ["CEPH_HOST"], "key": os.environ["KEY_" + item["user"].replace("-", "_")]}
    with rados.Rados(rados_id=item["user"], conf=options) as cluster, cluster.open_ioctx(item["name"]) as pool:
        tried, stay = [], dict.fromkeys(RBD.list(pool))
        while len(stay) != len(tried):
            tried = list(stay)
            stay = {name: why for name in tried if (why := why_it_stays(pool, name))}
        if stay:
            raise SystemExit("\n".join("%s in the pool %s stays: %s" % (name, item["name"], why) for name, why in stay.items()))
        for trashed in list(RBD.trash_list(pool)):
            RBD.trash_remove(pool, trashed["id"], True)
{{- end }}


for item in json.loads(os.environ["CLEANUP"]):
    globals()["drop_" + item["kind"].replace(" ", "_")](item)
    print("%s %s" % (item["kind"], item["name"]))
{{ end -}}
