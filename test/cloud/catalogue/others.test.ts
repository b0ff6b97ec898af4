import {beforeAll, describe, expect, it} from 'vitest'
import {python, servicesUp} from '../support/catalogue.ts'
import {inClient} from '../support/client.ts'
import {machine} from '../support/machines.ts'

/**
 * Magnum asks the Internet where the members of etcd find each other, before Heat is asked: any answer will
 * do for machines that never start.
 */
const DISCOVERY = {
  etcd_discovery_service_endpoint_format: 'http://barbican-api:9311/healthcheck?size=%(size)d',
}

describe('designate', () => {
  beforeAll(() => servicesUp(['valkey', 'designate']))

  it('resolves a name by DNS as soon as it has an address', async () => {
    const said = await inClient(
      python(`
        import socket
        import struct

        zones = openstack.connect().dns
        zone = zones.create_zone(name="kk-names.example.", email="kk@example.org")


        def answered():
            """The address in the answer to a question for www, by UDP; it is its last four bytes."""
            name = b"".join(bytes([len(part)]) + part for part in (b"www", b"kk-names", b"example", b""))
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
                server.settimeout(5)
                server.sendto(struct.pack(">6H", 1, 0, 1, 0, 0, 0) + name + struct.pack(">2H", 1, 1), ("designate-bind9", 53))
                answer = server.recv(512)
            return struct.unpack(">H", answer[6:8])[0] == 1 and socket.inet_ntoa(answer[-4:])


        try:
            wait(lambda: zones.get_zone(zone).status == "ACTIVE")
            zones.create_recordset(zone, name="www.kk-names.example.", type="A", records=["192.0.2.7"])
            print(wait(answered))
        finally:
            zones.delete_zone(zone)
      `),
    )

    expect(said.trim()).toBe('192.0.2.7')
  })
})

describe('magnum', () => {
  beforeAll(async () => {
    await servicesUp(['barbican', 'magnum'], {magnum: {conf: {magnum: {cluster: DISCOVERY}}}})
    // With it come the image, the flavor and the key.
    await machine()
  })

  it('passes a requested cluster to heat, and leaves nothing after its deletion', async () => {
    const said = await inClient(
      python(`
        cloud = openstack.connect()
        image = cloud.image.find_image("guest", ignore_missing=False)
        cloud.image.update_image(image, os_distro="fedora-coreos")
        template = {
            "name": "kk-clusters", "coe": "kubernetes", "image_id": image.id, "external_network_id": "public", "keypair_id": "first",
            "flavor_id": "small", "master_flavor_id": "small", "docker_storage_driver": "overlay2", "network_driver": "flannel",
        }
        made = session.post("/clustertemplates", json=template, **where("container-infra")).json()["uuid"]
        order = {"name": "kk-cluster", "cluster_template_id": made, "node_count": 1, "master_count": 1, "keypair": "first"}
        cluster = session.post("/clusters", json=order, **where("container-infra")).json()["uuid"]


        def stacks():
            return [stack for stack in cloud.orchestration.stacks() if stack.name.startswith("kk-cluster")]


        try:
            print(wait(stacks)[0].status.split("_")[0])
        finally:
            session.delete("/clusters/" + cluster, **where("container-infra"))
            gone = lambda: session.get("/clusters/" + cluster, raise_exc=False, **where("container-infra")).status_code == 404
            wait(lambda: gone() and not stacks(), 900)
            session.delete("/clustertemplates/" + made, **where("container-infra"))
        print("gone")
      `),
    )

    expect(said.trim().split('\n')).toEqual(['CREATE', 'gone'])
  })
})
