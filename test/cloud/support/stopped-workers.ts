import {it} from 'vitest'
import {kubectl} from '../../aio/support/node.ts'
import {NAMESPACE} from './cloud.ts'
import {phase} from './phase.ts'

/** Components by release. */
export type Workers = Readonly<Record<string, readonly string[]>>

/**
 * One test per worker, side by side, for each waits for minutes for the probes of its own pod: stops all its
 * processes, and continues them.
 */
export function testStoppedWorkers(workers: Workers): void {
  const each = Object.entries(workers).flatMap(([release, names]) => names.map((name) => [release, name]))
  it.concurrent.each(each)(
    '%s %s is not ready within two minutes after its processes have stopped, and ready when they continue',
    async (release, component) => {
      const selector = `app.kubernetes.io/instance=${release},app.kubernetes.io/component=${component}`
      const name = ['--selector', selector, '--output', 'jsonpath={.items[0].metadata.name}']
      const pod = await kubectl(['get', 'pods', '--namespace', NAMESPACE, ...name])
      await becomes(pod, true)

      await signal(pod, 'STOP')
      await phase(`${release} ${component}: found`, () => becomes(pod, false)).finally(() =>
        signal(pod, 'CONT'),
      )

      await phase(`${release} ${component}: recovered`, () => becomes(pod, true))
    },
  )
}

/** Sends a signal to all processes of a worker but the init of its container. */
async function signal(pod: string, name: 'STOP' | 'CONT') {
  const script = `for pid in /proc/[0-9]*; do
    [ "$pid" = /proc/1 ] || [ "$pid" = "/proc/$$" ] || kill -${name} "\${pid#/proc/}"
  done 2>/dev/null; true`
  await kubectl(['exec', pod, '--namespace', NAMESPACE, '--', 'bash', '-c', script])
}

async function becomes(pod: string, isReady: boolean) {
  const condition = `--for=condition=Ready=${isReady}`
  await kubectl(['wait', 'pod', pod, '--namespace', NAMESPACE, condition, '--timeout=120s'])
}
