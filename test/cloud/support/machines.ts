import {execa} from 'execa'
import {inject} from 'vitest'
import {firstInstance, type Instance, ssh} from '../../../scripts/cloud/instance.ts'
import {aioEnvironment} from '../../aio/support/run-aio.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {inClient, openstack} from './client.ts'
import {phase} from './phase.ts'

const BOOT = 'cat /proc/sys/kernel/random/boot_id'

/** The virtual machine of `npm run cloud`, made as that makes it. */
export function machine(): Promise<Instance> {
  const say = (line: string) => process.stderr.write(`${line}\n`)
  const env = {...aioEnvironment(inject('aio')), HOME: process.env['HOME'] ?? '/root'}
  return phase('a machine answers', () => firstInstance({say, env}))
}

/** Flavors as small as the guest image can do with; resolves with what takes them away. */
export async function smallFlavors(): Promise<() => Promise<unknown>> {
  const remove = 'for each in less more; do openstack flavor delete kk-$each 2>/dev/null || true; done'
  await inClient(`
    ${remove}
    openstack flavor create kk-less --ram 128 --vcpus 1 --disk 1 >/dev/null
    openstack flavor create kk-more --ram 192 --vcpus 2 --disk 1 >/dev/null`)
  return () => inClient(remove)
}

/**
 * Starts a virtual machine like the first, but small, with a floating address; `disk` is what the client says
 * of its disk, and `within` may be a command that ends the client.
 */
export async function startMachine(
  first: Instance,
  name: string,
  disk: string,
  within = '',
): Promise<Instance> {
  await removeMachine(name)
  const like = '--flavor kk-less --network first --security-group first --key-name first'
  await inClient(`${within} openstack server create ${disk} ${like} --wait ${name} >/dev/null`)
  const [port] = await openstack<readonly [{readonly ID: string}]>(`port list --server ${name}`)
  const made = await openstack<{readonly floating_ip_address: string}>(
    `floating ip create public --port ${port.ID}`,
  )
  return {...first, address: made.floating_ip_address}
}

/**
 * Takes a virtual machine away with its floating address, if it is there: Nova names one for a moment that it
 * has deleted.
 */
export async function removeMachine(name: string): Promise<void> {
  await inClient(`
    openstack server show ${name} >/dev/null 2>&1 || exit 0
    for port in $(openstack port list --server ${name} --format value --column ID); do
      for address in $(openstack floating ip list --port $port --format value --column ID); do openstack floating ip delete $address; done
    done
    openstack server delete --wait ${name} || ! openstack server show ${name} >/dev/null 2>&1`)
}

/**
 * What a script prints in a virtual machine, by SSH; waits until it lets us in, and rejects when the script
 * fails.
 */
export async function inMachine(instance: Instance, script: string): Promise<string> {
  const [command, ...args] = ssh(instance, script)
  const {stdout} = await waitFor(
    async () => {
      const ended = await execa(command, args, {reject: false})
      // 255 is SSH's own: the machine did not answer.
      if (ended.failed && ended.exitCode !== 255) throw ended
      return !ended.failed && ended
    },
    {until: `${instance.address} lets us in`, seconds: 300},
  )
  return stdout
}

/** What tells one start of a machine from the next. */
export function bootOf(instance: Instance): Promise<string> {
  return inMachine(instance, BOOT)
}

/** Waits until a machine answers after another start than that one. */
export async function startedAgain(instance: Instance, boot: string): Promise<void> {
  await waitFor(async () => (await bootOf(instance)) !== boot, {
    until: `${instance.address} has started again`,
    seconds: 300,
  })
}

/** Waits until a resource has a status; rejects where it is an error. */
export async function becomes(kind: string, name: string, status: string): Promise<void> {
  const show = `openstack ${kind} show ${name} --format value --column status`
  const ended = await waitFor(
    async () => {
      const now = await inClient(show)
      return (now === status || now.toLowerCase().startsWith('error')) && {now}
    },
    {until: `${kind} ${name} is ${status}`, seconds: 300},
  )
  if (ended.now !== status) throw new Error(`${kind} ${name} is ${ended.now}, not ${status}`)
}

/** The status of a page, or of what goes wrong; with seconds for an answer. */
export async function page(url: string): Promise<number | undefined> {
  const answer = await fetch(url, {signal: AbortSignal.timeout(5000)}).catch(() => undefined)
  return answer?.status
}
