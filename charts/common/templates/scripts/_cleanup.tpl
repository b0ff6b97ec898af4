{{- define "common.scripts.cleanup.py" -}}
"""Takes away from other services what CLEANUP names, [{kind, name, …}]. What is gone already is no error."""
import json
import os
import subprocess
{{- if hasKey .jobs "db-create" }}

{{ include "common.scripts.database" . }}


def drop_database(item):
    connection.query("DROP DATABASE IF EXISTS `%s`" % item["name"].replace("`", "``"))


def drop_account(item):
    connection.cursor().execute("DROP USER IF EXISTS %s@'%%'", (item["name"],))
{{- end }}
{{- if hasKey .jobs "bus-create" }}

{{ include "common.scripts.bus" . }}


def drop_bus_user(item):
    """Who has gone makes no queue again; those that it consumes would be there for ever."""
    consumers = bus("GET", "consumers", item["virtualHost"])
    queues = {each["queue"]["name"] for each in consumers if dict(each["channel_details"]).get("user") == item["name"]}
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


def drop_data_of_pool(item):
    subprocess.run(["empty-pool", item["name"], item["user"]], check=True)


for item in json.loads(os.environ["CLEANUP"]):
    globals()["drop_" + item["kind"].replace(" ", "_")](item)
    print("%s %s" % (item["kind"], item["name"]))
{{ end -}}
