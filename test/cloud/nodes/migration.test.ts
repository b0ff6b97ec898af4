import {describe, expect, it} from 'vitest'
import {kubectl} from '../../aio/support/node.ts'
import {sizeAtNight} from '../../support/night.ts'
import {inClient} from '../support/client.ts'
import {onCloud} from '../support/cloud.ts'
import {becomes, bootOf} from '../support/machines.ts'
import {expectDecrypted, hostOf, useCloud, whileWatched} from '../support/node-guests.ts'
import {expectConsistent, healthy, takeBack} from '../support/several-nodes.ts'

const MIGRATIONS = sizeAtNight(50, 10)

const cloud = useCloud()

it(`nova: instances move live ${MIGRATIONS} times, and notice little`, async () => {
  const moved = [cloud.guests['kk-live'], cloud.guests['kk-volume']]
  await whileWatched('live migrations', moved, async () => {
    for (let count = 0; count < MIGRATIONS; count += 2) {
      const from = await Promise.all(['kk-live', 'kk-volume'].map(hostOf))
      await inClient(
        'openstack server migrate --live-migration --wait kk-live; openstack server migrate --live-migration --wait kk-volume',
      )
      expect(await Promise.all(['kk-live', 'kk-volume'].map(hostOf))).toEqual(
        from.map((host) => (host === 'node-1' ? 'node-2' : 'node-1')),
      )
    }
  })
  await expectDecrypted(cloud.guests)
  await expectConsistent()
})

describe('nova: an instance that moves', () => {
  const moving = () => [cloud.guests['kk-live'], cloud.guests['kk-volume']]

  it('arrives although the pod of nova-compute is deleted on the way', async () => {
    const from = await hostOf('kk-live')
    const boot = await bootOf(cloud.guests['kk-live'])
    await inClient('openstack server migrate --live-migration kk-live')
    await kubectl([
      ...['delete', 'pod', '--namespace', 'openstack', '--field-selector', `spec.nodeName=${from}`],
      ...['--selector', 'app.kubernetes.io/name=nova,app.kubernetes.io/component=compute'],
    ])

    await becomes('server', 'kk-live', 'ACTIVE')
    expect(await hostOf('kk-live')).not.toBe(from)
    expect(await bootOf(cloud.guests['kk-live'])).toBe(boot)
    await healthy()
    await expectConsistent()
  })

  it('arrives once if kk is killed in the middle of a drain, and called again', async () => {
    const from = await hostOf('kk-volume')
    await inClient(`openstack server migrate --live-migration --host ${from} --wait kk-live`)
    const boots = await Promise.all(moving().map(bootOf))
    const killed = onCloud(['node', 'drain', from, cloud.file, '--yes'])
    for await (const line of killed.iterable({from: 'stderr'})) {
      if (!/move live kk-\w+ …/.test(line)) continue
      killed.kill('SIGKILL')
      break
    }
    await killed

    const drained = await onCloud(['node', 'drain', from, cloud.file, '--yes', '--timeout', '20m'])

    expect((await killed).exitCode).not.toBe(0)
    expect(drained.exitCode, `${drained.stdout}\n${drained.stderr}`).toBe(0)
    for (const name of ['kk-live', 'kk-volume']) expect(await hostOf(name)).not.toBe(from)
    expect(await Promise.all(moving().map(bootOf))).toEqual(boots)
    await takeBack(from)
    await expectConsistent()
  })
})
