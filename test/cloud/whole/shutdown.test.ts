import {beforeAll, describe, expect, it} from 'vitest'
import {kubectl} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {inClient} from '../support/client.ts'
import {cloudUp, NAMESPACE} from '../support/cloud.ts'
import {becomes, machine, removeMachine, smallFlavors} from '../support/machines.ts'

/** The time that nova's pods have to end, as the chart sets it. */
const GRACE_SECONDS = 240
/** A fraction of the 160 s for which nova of 2026.1 would sleep by default; on a busy machine. */
const IDLE_SECONDS = 30

const WORKLOADS: Readonly<Record<string, string>> = {
  conductor: 'deployment/nova-conductor',
  scheduler: 'deployment/nova-scheduler',
  compute: 'daemonset/nova-compute',
}

beforeAll(async () => {
  await cloudUp()
  await machine()
  return smallFlavors()
})

/**
 * Deletes the pods of a component of nova. Resolves with the time until they have ended, and with what `read`
 * returned while they ended, and right after.
 */
async function endPods<T>(component: string, read: () => Promise<T>) {
  const selector = `app.kubernetes.io/instance=nova,app.kubernetes.io/component=${component}`
  const names = ['get', 'pods', '--namespace', NAMESPACE, '--selector', selector, '--output', 'name']
  const pods = (await kubectl(names)).split('\n')
  const start = performance.now()
  await kubectl(['delete', ...pods, '--namespace', NAMESPACE, '--wait=false'])
  const during = read()
  await kubectl([
    ...['wait', ...pods, '--namespace', NAMESPACE, '--for=delete'],
    `--timeout=${GRACE_SECONDS}s`,
  ])
  const seconds = (performance.now() - start) / 1000
  process.stderr.write(`nova ${component}: ended after ${seconds.toFixed(1)} s\n`)
  const seen = [await during, await read()]
  const rollout = ['rollout', 'status', WORKLOADS[component]!, '--namespace', NAMESPACE]
  await kubectl([...rollout, '--timeout=300s'])
  return {seconds, seen}
}

/** Returns the status of a server and its task: `BUILD spawning`, `ACTIVE null`. */
function stateOf(server: string): Promise<string> {
  const columns = '--column status --column OS-EXT-STS:task_state'
  return inClient(`openstack server show ${server} --format json ${columns}`).then((text) => {
    const {status, 'OS-EXT-STS:task_state': task} = JSON.parse(text)
    return `${status} ${task}`
  })
}

/** Waits until nova-compute's host is enabled or disabled for new servers, with the reason. */
async function waitForHost(status: string): Promise<void> {
  const columns = '--format value --column Status --column "Disabled Reason"'
  const list = `openstack compute service list --service nova-compute --long ${columns}`
  await waitFor(async () => (await inClient(list)).startsWith(status), {
    ...{until: `the host of nova-compute is ${status}`, seconds: 180},
  })
}

function waitForState(server: string, state: RegExp): Promise<string> {
  return waitFor(
    async () => {
      const now = await stateOf(server)
      return state.test(now) && now
    },
    {until: `${server} is ${state}`, seconds: 300},
  )
}

describe('nova: a pod that is deleted', () => {
  it.each(Object.keys(WORKLOADS))('ends soon if it has nothing to do: %s', async (component) => {
    const {seconds} = await endPods(component, async () => undefined)

    expect(seconds).toBeLessThan(IDLE_SECONDS)
  })

  it('first completes the build of a server', async (test) => {
    test.onTestFinished(() => removeMachine('kk-built'))
    await removeMachine('kk-built')
    // A volume from an image takes some seconds.
    const disk =
      'source_type=image,destination_type=volume,volume_size=1,boot_index=0,delete_on_termination=true'
    await inClient(`
      image=$(openstack image show guest --format value --column id)
      openstack server create --block-device uuid=$image,${disk} --flavor kk-less --network first kk-built >/dev/null`)
    await waitForState('kk-built', /^BUILD (networking|block_device_mapping|spawning)/)

    const disabled = waitForHost('disabled AUTO: kk: the pod of nova-compute ends')
    const {seen} = await endPods('compute', () => stateOf('kk-built'))

    expect(seen).toEqual([expect.stringMatching(/^BUILD /), 'ACTIVE null'])
    await disabled
    await waitForHost('enabled')
  })

  it('first completes the resize of a server', async (test) => {
    test.onTestFinished(() => removeMachine('kk-larger'))
    await removeMachine('kk-larger')
    await inClient(
      'openstack server create --image guest --flavor kk-less --network first --wait kk-larger >/dev/null',
    )
    await inClient('openstack server resize --flavor kk-more kk-larger')
    await waitForState('kk-larger', /^RESIZE resize_/)

    const {seen} = await endPods('compute', () => stateOf('kk-larger'))

    expect(seen).toEqual([expect.stringMatching(/^RESIZE /), 'VERIFY_RESIZE null'])
    await inClient('openstack server resize confirm kk-larger')
    await becomes('server', 'kk-larger', 'ACTIVE')
  })
})
