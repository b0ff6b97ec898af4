import {get, kubectl, waitFor} from './cluster.ts'

interface Pods {
  readonly items: readonly {
    readonly metadata: {readonly name: string}
    readonly status: {readonly phase: string}
  }[]
}

/**
 * Lets the pods of a Deployment become Ready, for which `ready-after` has long to wait: at the moment that a
 * test needs.
 */
export async function makeReady(namespace: string, deployment: string): Promise<void> {
  const pods = await waitFor(() => runningPods(namespace, deployment), {until: `pods of ${deployment} run`})
  const conditions = ['ContainersReady', 'Ready'].map((type) => ({type, status: 'True'}))
  const patch = JSON.stringify({status: {conditions}})
  for (const pod of pods)
    await kubectl([
      'patch',
      'pod',
      pod,
      '--namespace',
      namespace,
      '--subresource',
      'status',
      '--patch',
      patch,
    ])
}

async function runningPods(namespace: string, deployment: string): Promise<readonly string[] | undefined> {
  const {items} = await get<Pods>('pods', '--namespace', namespace)
  const pods = items.filter(({metadata}) => metadata.name.startsWith(`${deployment}-`))
  const allRun = pods.length > 0 && pods.every(({status}) => status.phase === 'Running')
  return allRun ? pods.map(({metadata}) => metadata.name) : undefined
}
