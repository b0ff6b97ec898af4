import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import type {Instance} from '../../../scripts/cloud/instance.ts'
import {servicesUp} from '../support/catalogue.ts'
import {inClient} from '../support/client.ts'
import {becomes, inMachine, machine} from '../support/machines.ts'

const NAME = 'kk-encrypted'
let first: Instance

beforeAll(async () => {
  await servicesUp(['barbican'])
  first = await machine()
})
afterAll(() =>
  inClient(`
    openstack server remove volume first ${NAME} 2>/dev/null || true
    for _ in $(seq 30); do openstack volume delete ${NAME} 2>/dev/null && break || sleep 2; done
    openstack volume type delete ${NAME}`),
)

describe('barbican', () => {
  it('returns a secret as it was stored', async () => {
    const said = await inClient(`
      sent=$(head --bytes 300 /dev/urandom | base64 --wrap 0)
      secret=$(openstack secret store --name kk-secret --payload "$sent" --format value --column 'Secret href')
      received=$(openstack secret get "$secret" --payload --format value --column Payload)
      openstack secret delete "$secret"
      [ "$sent" = "$received" ] && echo same`)

    expect(said.trim()).toBe('same')
  })

  it('stores the key of an encrypted volume, which a machine uses like any other', async () => {
    await inClient(`
      openstack volume type create --encryption-provider luks --encryption-cipher aes-xts-plain64 \\
        --encryption-key-size 256 --encryption-control-location front-end ${NAME} >/dev/null
      openstack volume create --size 1 --type ${NAME} ${NAME} >/dev/null`)
    await becomes('volume', NAME, 'available')
    const secrets = await inClient('openstack secret list --format value --column "Secret href" | wc --lines')

    await inClient(`openstack server add volume first ${NAME} >/dev/null`)
    await becomes('volume', NAME, 'in-use')
    const read = await inMachine(
      first,
      `disk=$(ls /dev/vd? | tail -n 1)
       echo "kept by barbican" | dd of=$disk bs=512 count=1 conv=sync 2>/dev/null; sync
       dd if=$disk bs=512 count=1 2>/dev/null | head -n 1`,
    )

    expect(Number(secrets)).toBeGreaterThan(0)
    expect(read).toContain('kept by barbican')
  })
})
