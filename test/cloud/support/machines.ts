import {execa} from 'execa'
import {inject} from 'vitest'
import {firstInstance, type Instance, ssh} from '../../../scripts/cloud/instance.ts'
import {aioEnvironment} from '../../aio/support/run-aio.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {phase} from './phase.ts'

/** The virtual machine of `npm run cloud`, made as that makes it. */
export function machine(): Promise<Instance> {
  const say = (line: string) => process.stderr.write(`${line}\n`)
  const env = {...aioEnvironment(inject('aio')), HOME: process.env['HOME'] ?? '/root'}
  return phase('a machine answers', () => firstInstance({say, env}))
}

/** What a script prints in a virtual machine, by SSH; waits until it lets us in. */
export async function inMachine(instance: Instance, script: string): Promise<string> {
  const [command, ...args] = ssh(instance, script)
  const {stdout} = await waitFor(
    async () => {
      const ended = await execa(command, args, {reject: false})
      // 255 is SSH's own: the machine did not answer.
      return ended.exitCode !== 255 && ended
    },
    {until: `${instance.address} lets us in`, seconds: 300},
  )
  return stdout
}

/** The status of a page, or of what goes wrong; with seconds for an answer. */
export async function page(url: string): Promise<number | undefined> {
  const answer = await fetch(url, {signal: AbortSignal.timeout(5000)}).catch(() => undefined)
  return answer?.status
}
