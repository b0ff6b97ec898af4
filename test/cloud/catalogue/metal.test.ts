import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {waitFor} from '../../e2e/support/cluster.ts'
import {dedent, python, servicesUp} from '../support/catalogue.ts'
import {inClient} from '../support/client.ts'
import {consoleOf, type Metal, metalGone, metalUp} from '../support/metal.ts'
import {phase} from '../support/phase.ts'

const NAME = 'kk-metal'
const HOUR = 3_600_000
/** A disk is not written over from its first byte to its last: what tells of data on it goes. */
const CLEANING = {erase_devices_priority: 0, erase_devices_metadata_priority: 10}
const PRELUDE = `cloud = openstack.connect()


def become(target):
    """The node when it is there; fails with ironic's reason where that fails."""
    return cloud.baremetal.set_node_provision_state("${NAME}", target, wait=True, timeout=2400)`
let metal: Metal

beforeAll(async () => {
  await servicesUp(['ironic'], {ironic: {conf: {ironic: {deploy: CLEANING}}}})
  metal = await phase('a machine of bare metal', metalUp)
})
afterAll(async () => {
  await inMetal(`
    for node in cloud.baremetal.nodes():
        if node.name == "${NAME}":
            cloud.baremetal.set_node_maintenance(node)
            cloud.baremetal.delete_node(node)
    for image in cloud.image.images():
        if image.name.startswith("${NAME}"):
            cloud.image.delete_image(image)
  `)
  await metalGone(metal)
})

/**
 * What a program prints that has the `cloud`, and `become(STATE)`, which has ironic bring the machine there.
 */
function inMetal(program: string): Promise<string> {
  return inClient(python(`${PRELUDE}\n\n\n${dedent(program)}`))
}

describe('ironic: a bare-metal machine', () => {
  it(
    'is enrolled, inspected, cleaned, deployed with a ramdisk that it boots, cleaned again and removed',
    async () => {
      const controller = {
        redfish_address: metal.redfish,
        redfish_system_id: metal.system,
        // The agent writes on the serial port what it does.
        kernel_append_params: 'nofb console=tty0 console=ttyS0,115200',
      }

      const found = await phase('enrolled and inspected', () =>
        inMetal(`
          cloud.baremetal.create_node(name="${NAME}", driver="redfish", inspect_interface="redfish", driver_info=${JSON.stringify(controller)})
          become("manage")
          node = become("inspect")
          ports = [port.address for port in cloud.baremetal.ports(node=node.id)]
          print(node.provision_state, node.properties["cpu_arch"], node.properties["memory_mb"], *ports)
        `),
      )
      const cleaned = await phase('cleaned', () => inMetal('print(become("provide").provision_state)'))
      const agent = await consoleOf(metal)
      const deployed = await phase('deployed', () =>
        inMetal(`
          def image(kind, form):
              made = cloud.image.create_image(
                  "${NAME}-" + kind, filename="/usr/share/guest/guest." + kind, disk_format=form, container_format=form, visibility="public", wait=True)
              return made.id


          parts = {"kernel": image("vmlinuz", "aki"), "ramdisk": image("initrd", "ari"), "ramdisk_kernel_arguments": "console=ttyS0,115200"}
          cloud.baremetal.update_node("${NAME}", deploy_interface="ramdisk", instance_info=parts)
          print(become("active").provision_state)
        `),
      )
      const page = await phase('its page', () => pageOf(metal))
      const undeployed = await phase('undeployed', () => inMetal('print(become("deleted").provision_state)'))
      const left = await inMetal(`
        cloud.baremetal.delete_node("${NAME}")
        print([node.name for node in cloud.baremetal.nodes()])
      `)
      await metalGone(metal)

      expect(found.trim()).toBe(`manageable x86_64 ${metal.memory} ${metal.mac}`)
      expect(cleaned.trim()).toBe('available')
      expect(agent).toContain('ironic-agent: the agent starts')
      expect(deployed.trim()).toBe('active')
      expect(page).toBe('guest: started\n')
      expect(undeployed.trim()).toBe('available')
      expect(left.trim()).toBe('[]')
    },
    HOUR,
  )
})

/** What the guest image serves, as soon as it does. */
async function pageOf({address}: Metal): Promise<string> {
  const {text} = await waitFor(
    async () => {
      const answer = await fetch(`http://${address}/`, {signal: AbortSignal.timeout(5000)}).catch(
        () => undefined,
      )
      return answer?.ok && {text: await answer.text()}
    },
    {until: 'the machine runs the guest image', seconds: 900},
  )
  return text
}
