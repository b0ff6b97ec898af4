"""Creates the first virtual machine of a cloud, and what it needs; what exists stays as it is. The argument is an SSH key."""
import fcntl
import sys
import time

import openstack

DISK = "/usr/share/guest/guest.raw"
NAME = "first"
# The network of this machine: its own address there is the gateway.
OUTSIDE = {"cidr": "172.24.4.0/24", "gateway_ip": "172.24.4.1", "is_dhcp_enabled": False}
OUTSIDE_POOL = [{"start": "172.24.4.10", "end": "172.24.4.250"}]
# The pool for networks without a description: `openstack server create --nic auto`.
INSIDE_POOL = {"prefixes": ["10.215.0.0/16"], "default_prefix_length": 26, "is_shared": True, "is_default": True}
OPEN = [("icmp", None), ("tcp", 22), ("tcp", 80)]

# An earlier caller may have been killed while the program continues: wait for what it creates.
alone = open("/tmp/first-virtual-machine.lock", "w")
fcntl.flock(alone, fcntl.LOCK_EX)
cloud = openstack.connect()
network, compute = cloud.network, cloud.compute


def had(kind, found, make, *args, **kwargs):
    """The existing object, or else the one that the call creates."""
    thing = found or make(*args, **kwargs)
    print("%s %s%s" % (kind, thing.name or thing.id, "" if found else ": made"))
    return thing


def sound(found, is_half, delete):
    """The existing object; a half-created one of an interruption is deleted."""
    if found is None or not is_half(found.status):
        return found
    delete(found.id, wait=True)
    return None


def had_image():
    there = sound(cloud.get_image("guest"), lambda status: status != "active", cloud.delete_image)
    # A cloud kernel, such as Debian's, has no USB, where Nova puts the keyboard by default.
    how = {"disk_format": "raw", "container_format": "bare", "visibility": "public", "hw_input_bus": "virtio"}
    return had("image", there, cloud.create_image, "guest", filename=DISK, wait=True, **how)


def had_outside():
    """The network of floating addresses: the cloud has at most one, with any name."""
    found = next(iter(network.networks(is_router_external=True)), None)
    how = {"provider_network_type": "flat", "provider_physical_network": "public", "is_router_external": True, "is_default": True}
    outside = had("network", found, network.create_network, name="public", **how)
    subnet = {**OUTSIDE, "allocation_pools": OUTSIDE_POOL, "ip_version": 4, "network_id": outside.id}
    there = next(iter(network.subnets(network_id=outside.id)), None)
    had("subnet", there, network.create_subnet, name="public", **subnet)
    return outside


def had_pool():
    """The default pool of subnets: the cloud has at most one, with any name."""
    found = next((pool for pool in network.subnet_pools(ip_version=4) if pool.is_default), None)
    had("subnet pool", found, network.create_subnet_pool, name="default", **INSIDE_POOL)


def had_inside(outside):
    """The network of the virtual machine, behind a router."""
    found = had("network", network.find_network(NAME), network.create_network, name=NAME)
    how = {"network_id": found.id, "ip_version": 4, "cidr": "192.168.10.0/24"}
    subnet = had("subnet", network.find_subnet(NAME), network.create_subnet, name=NAME, **how)
    gateway = {"network_id": outside.id}
    router = had("router", network.find_router(NAME), network.create_router, name=NAME, external_gateway_info=gateway)
    places = [place["subnet_id"] for port in network.ports(device_id=router.id) for place in port.fixed_ips]
    if subnet.id not in places:
        network.add_interface_to_router(router, subnet_id=subnet.id)
    return found


def had_group():
    """The security group that allows what OPEN names."""
    found = network.find_security_group(NAME, project_id=cloud.current_project_id)
    group = had("security group", found, network.create_security_group, name=NAME)
    rules = network.security_group_rules(security_group_id=group.id, direction="ingress")
    there = {(rule.protocol, rule.port_range_min) for rule in rules}
    for protocol, port in OPEN:
        if (protocol, port) not in there:
            how = {"direction": "ingress", "port_range_min": port, "port_range_max": port}
            network.create_security_group_rule(security_group_id=group.id, protocol=protocol, **how)


def had_server(image, flavor, inside, key):
    """The virtual machine after it has started; one that failed to start is created again."""
    found = sound(cloud.get_server(NAME), lambda status: status == "ERROR", cloud.delete_server)
    if found is None:
        if compute.find_keypair(NAME):
            compute.delete_keypair(NAME)
        compute.create_keypair(name=NAME, public_key=key.strip())
    how = {"image": image, "flavor": flavor, "network": inside.id, "key_name": NAME, "security_groups": [NAME]}
    server = had("virtual machine", found, cloud.create_server, NAME, auto_ip=False, wait=False, **how)
    return compute.wait_for_server(compute.get_server(server.id), wait=300)


def had_address(server, outside):
    port = next(iter(network.ports(device_id=server.id)))
    found = next(iter(network.ips(port_id=port.id)), None)
    how = {"floating_network_id": outside.id, "port_id": port.id}
    return had("floating address", found, network.create_ip, **how)


def had_volume(server):
    found = sound(cloud.get_volume(NAME), lambda status: status.startswith("error"), cloud.delete_volume)
    volume = had("volume", found, cloud.create_volume, 1, name=NAME, wait=True, timeout=120)
    while volume.status.endswith("taching"):
        time.sleep(1)
        volume = cloud.get_volume(NAME)
    if not volume.attachments:
        cloud.attach_volume(server, volume, wait=True, timeout=120)


image = had_image()
flavor = had("flavor", compute.find_flavor("small"), compute.create_flavor, name="small", ram=256, vcpus=1, disk=1)
outside = had_outside()
had_pool()
inside = had_inside(outside)
had_group()
server = had_server(image, flavor, inside, sys.argv[1])
address = had_address(server, outside)
had_volume(server)
print("address %s" % address.floating_ip_address)
