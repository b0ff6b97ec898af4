{{- define "common.scripts.register.py" -}}
"""Puts services, endpoints, users and roles into keystone; changes only what differs from REGISTRATION."""
import json
import os

import openstack

identity = openstack.connect().identity
wanted = json.loads(os.environ["REGISTRATION"])


def register_service(service):
    found = next(iter(identity.services(type=service["type"])), None)
    attributes = {key: service[key] for key in ("name", "type", "description")}
    if found is None:
        found = identity.create_service(**attributes)
    elif any(getattr(found, key) != value for key, value in attributes.items()):
        identity.update_service(found, **attributes)
    for interface, url in service["urls"].items():
        register_endpoint(found, interface, url)
    print("service %s" % service["name"])


def register_endpoint(service, interface, url):
    endpoints = identity.endpoints(service_id=service.id, interface=interface)
    found = next((e for e in endpoints if e.region_id == wanted["region"]), None)
    if found is None:
        identity.create_endpoint(service_id=service.id, interface=interface, url=url, region_id=wanted["region"])
    elif found.url != url:
        identity.update_endpoint(found, url=url)


def register_user(user):
    domain = identity.find_domain(user["domain"], ignore_missing=False)
    project = identity.find_project(user["project"], domain_id=domain.id)
    if project is None:
        project = identity.create_project(name=user["project"], domain_id=domain.id)
    found = identity.find_user(user["name"], domain_id=domain.id)
    password = os.environ[user["password"]]
    if found is None:
        found = identity.create_user(name=user["name"], domain_id=domain.id, password=password)
    else:
        identity.update_user(found, password=password)
    for name in user["roles"]:
        role = identity.find_role(name) or identity.create_role(name=name)
        identity.assign_project_role_to_user(project, found, role)
    print("user %s" % user["name"])


for service in wanted["services"]:
    register_service(service)
for user in wanted["users"]:
    register_user(user)
{{ end -}}
