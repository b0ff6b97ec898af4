{{- define "common.scripts.register.py" -}}
"""Puts services, endpoints, domains, users and roles into keystone; changes only what differs from REGISTRATION."""
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
    found = had_user(domain, user["name"], os.environ[user["password"]])
    for name in user["roles"]:
        identity.assign_project_role_to_user(project, found, had_role(name))
    print("user %s" % user["name"])


def register_domain(domain):
    """A domain whose users a service makes, and the account that may."""
    found = identity.find_domain(domain["name"]) or identity.create_domain(name=domain["name"])
    administrator = had_user(found, domain["administrator"], os.environ[domain["password"]])
    identity.assign_domain_role_to_user(found, administrator, had_role("admin"))
    print("domain %s" % found.name)


def had_user(domain, name, password):
    found = identity.find_user(name, domain_id=domain.id)
    if found is None:
        return identity.create_user(name=name, domain_id=domain.id, password=password)
    return identity.update_user(found, password=password)


def had_role(name):
    return identity.find_role(name) or identity.create_role(name=name)


for role in wanted["roles"]:
    had_role(role)
for service in wanted["services"]:
    register_service(service)
for domain in wanted["domains"]:
    register_domain(domain)
for user in wanted["users"]:
    register_user(user)
{{ end -}}
