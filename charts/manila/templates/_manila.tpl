{{- define "common.scripts.shares" -}}
import openstack

session = openstack.connect().session


def ask(method, path, **more):
    """The response of manila; since this version, paths have no project."""
    where = {"service_type": "sharev2", "interface": "internal"}
    headers = {"X-OpenStack-Manila-API-Version": "2.60"}
    return session.request(path, method, endpoint_filter=where, headers=headers, **more)
{{- end -}}

{{- /* Idempotent; without a type no share can be created. */ -}}
{{- define "common.scripts.manila-types.py" -}}
"""Creates the types of shares, SHARE_TYPES: {name: extra_specs}."""
import json
import os

{{ include "common.scripts.shares" . }}


known = {each["name"]: each["id"] for each in ask("GET", "/types?is_public=all").json()["share_types"]}
for name, specs in json.loads(os.environ["SHARE_TYPES"]).items():
    if name in known:
        ask("POST", "/types/%s/extra_specs" % known[name], json={"extra_specs": specs})
    else:
        ask("POST", "/types", json={"share_type": {"name": name, "share_type_access:is_public": True, "extra_specs": specs}})
    print("share type %s" % name)
{{ end -}}

{{- /* The services of manila, as manila reports them. */ -}}
{{- define "common.scripts.manila-test.py" -}}
"""Asks manila for its services: the scheduler and a backend must be up."""
import time

{{ include "common.scripts.shares" . }}

# A service that has just started is reported after a while.
end = time.time() + 60
up = set()
while not {"manila-scheduler", "manila-share"} <= up:
    assert time.time() < end, "not all are up"
    time.sleep(2)
    services = ask("GET", "/services").json()["services"]
    up = {service["binary"] for service in services if service["state"] == "up"}
for service in services:
    print("%s on %s is %s" % (service["binary"], service["host"], service["state"]))
{{ end -}}
