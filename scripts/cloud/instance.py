"""Makes the first virtual machine of a cloud, and what it needs; what is there stays as it is. The argument is an SSH key."""
import sys

import openstack

DISK = "/usr/share/guest/guest.raw"
cloud = openstack.connect()


def made(kind, found, make):
    """What was found, or else what is made."""
    thing = found or make()
    print("%s %s%s" % (kind, thing.name or thing.id, "" if found else ": made"))
    return thing


image = made("image", cloud.get_image("guest"), lambda: cloud.create_image("guest", filename=DISK, disk_format="raw", container_format="bare", visibility="public", wait=True))
flavor = made("flavor", cloud.compute.find_flavor("small"), lambda: cloud.compute.create_flavor(name="small", ram=256, vcpus=1, disk=1))

# The network that this machine itself is in: its address there is the gateway.
outside = made("network", cloud.network.find_network("public"), lambda: cloud.network.create_network(name="public", is_router_external=True, provider_network_type="flat", provider_physical_network="public"))
made("subnet", cloud.network.find_subnet("public"), lambda: cloud.network.create_subnet(name="public", network_id=outside.id, ip_version=4, cidr="172.24.4.0/24", gateway_ip="172.24.4.1", is_dhcp_enabled=False, allocation_pools=[{"start": "172.24.4.10", "end": "172.24.4.250"}]))

network = made("network", cloud.network.find_network("first"), lambda: cloud.network.create_network(name="first"))
subnet = made("subnet", cloud.network.find_subnet("first"), lambda: cloud.network.create_subnet(name="first", network_id=network.id, ip_version=4, cidr="192.168.10.0/24", dns_nameservers=["172.24.4.1"]))
router = made("router", cloud.network.find_router("first"), lambda: cloud.network.create_router(name="first", external_gateway_info={"network_id": outside.id}))
if not any(address["subnet_id"] == subnet.id for port in cloud.network.ports(device_id=router.id) for address in port.fixed_ips):
    cloud.network.add_interface_to_router(router, subnet_id=subnet.id)

project = cloud.current_project_id
group = made("security group", cloud.network.find_security_group("first", project_id=project), lambda: cloud.network.create_security_group(name="first"))
open_already = {(rule.protocol, rule.port_range_min) for rule in cloud.network.security_group_rules(security_group_id=group.id, direction="ingress")}
for protocol, port in [("icmp", None), ("tcp", 22), ("tcp", 80)]:
    if (protocol, port) not in open_already:
        cloud.network.create_security_group_rule(security_group_id=group.id, direction="ingress", protocol=protocol, port_range_min=port, port_range_max=port)

key = cloud.compute.find_keypair("first")
if key and key.public_key.split()[:2] != sys.argv[1].split()[:2]:
    cloud.compute.delete_keypair(key)
    key = None
made("SSH key", key, lambda: cloud.compute.create_keypair(name="first", public_key=sys.argv[1].strip()))

server = cloud.get_server("first")
if server and server.status == "ERROR":
    cloud.delete_server(server, wait=True)
    server = None
server = made("virtual machine", server, lambda: cloud.create_server("first", image=image, flavor=flavor, network=network.id, key_name="first", security_groups=["first"], auto_ip=False, wait=False))
server = cloud.compute.wait_for_server(server, wait=300)
port = next(iter(cloud.network.ports(device_id=server.id)))
address = next(iter(cloud.network.ips(port_id=port.id)), None)
if address is None:
    address = cloud.network.create_ip(floating_network_id=outside.id, port_id=port.id)

volume = made("volume", cloud.block_storage.find_volume("first"), lambda: cloud.create_volume(1, name="first", wait=True))
if not volume.attachments:
    cloud.attach_volume(server, volume, wait=True, timeout=120)
print("address %s" % address.floating_ip_address)
