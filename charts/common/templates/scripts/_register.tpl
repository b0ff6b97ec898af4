{{- define "common.scripts.register.py" -}}
"""Puts services, endpoints, domains, users and roles into keystone; changes only what differs from REGISTRATION."""
import json
import os

import openstack

identity = openstack.connect().identity
wanted = json.loads(os.environ["REGISTRATION"])


def register_service(service):
    attributes = {key: service[key] for key in ("name", "type", "description")}
    found = next(iter(identity.services(type=service["type"])), None) or identity.create_service(**attributes)
    if any(getattr(found, key) != value for key, value in attributes.items()):
        identity.update_service(found, **attributes)
    for interface, url in service["urls"].items():
        register_endpoint(found, interface, url)
    print("service %s" % service["name"])


def register_endpoint(service, interface, url):
    endpoints = identity.endpoints(service_id=service.id, interface=interface)
    attributes = {"service_id": service.id, "interface": interface, "url": url, "region_id": wanted["region"]}
    found = next((e for e in endpoints if e.region_id == wanted["region"]), None) or identity.create_endpoint(**attributes)
    if found.url != url:
        identity.update_endpoint(found, url=url)


def register_user(user):
    domain = identity.find_domain(user["domain"], ignore_missing=False)
    there = {"domain_id": domain.id}
    project = identity.find_project(user["project"], **there) or identity.create_project(name=user["project"], **there)
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
    create, update = identity.create_user, identity.update_user
    return update(found, password=password) if found else create(name=name, domain_id=domain.id, password=password)


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
