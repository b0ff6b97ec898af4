import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import type {Instance} from '../../../scripts/cloud/instance.ts'
import {python, servicesUp} from '../support/catalogue.ts'
import {inClient} from '../support/client.ts'
import {machine, page, removeMachine, smallFlavors, startMachine} from '../support/machines.ts'

const SECOND = 'kk-balanced'
let remove: () => Promise<unknown>
let first: Instance

beforeAll(async () => {
  await servicesUp(['octavia'])
  first = await machine()
  remove = await smallFlavors()
  await startMachine(first, SECOND, '--image guest')
})
afterAll(async () => {
  await inClient(
    python(`
      cloud = openstack.connect()
      for balancer in cloud.load_balancer.load_balancers(name="kk-balancer"):
          cloud.load_balancer.delete_load_balancer(balancer, cascade=True)
      for address in cloud.network.ips(description="kk-balancer"):
          cloud.network.delete_ip(address)
    `),
  )
  await removeMachine(SECOND)
  await remove()
})

describe('octavia: a load balancer of OVN', () => {
  it('distributes connections to both of its machines', async () => {
    const address = await inClient(
      python(`
        cloud = openstack.connect()
        balancers = cloud.load_balancer
        members = [cloud.compute.find_server(name, ignore_missing=False) for name in ("first", "${SECOND}")]
        ports = [next(cloud.network.ports(device_id=member.id)) for member in members]
        subnet = ports[0].fixed_ips[0]["subnet_id"]


        def active():
            return balancers.get_load_balancer(balancer).provisioning_status == "ACTIVE"


        balancer = balancers.create_load_balancer(name="kk-balancer", vip_subnet_id=subnet, provider="ovn")
        wait(active)
        listener = balancers.create_listener(load_balancer_id=balancer.id, protocol="TCP", protocol_port=80)
        wait(active)
        pool = balancers.create_pool(listener_id=listener.id, protocol="TCP", lb_algorithm="SOURCE_IP_PORT")
        wait(active)
        for port in ports:
            balancers.create_member(pool, address=port.fixed_ips[0]["ip_address"], protocol_port=80, subnet_id=subnet)
            wait(active)
        public = cloud.network.find_network("public")
        port = balancers.get_load_balancer(balancer).vip_port_id
        floating = cloud.network.create_ip(floating_network_id=public.id, port_id=port, description="kk-balancer")
        print(floating.floating_ip_address)
      `),
    )

    const answers = new Set<string>()
    for (let count = 0; count < 40; count += 1) {
      expect(await page(`http://${address.trim()}/`)).toBe(200)
      answers.add(await (await fetch(`http://${address.trim()}/`, {headers: {connection: 'close'}})).text())
    }
    expect(answers.size).toBe(2)
  })
})
