import {expect} from 'vitest'
import type {OperatorStatus} from '../../../src/operator/client/status.ts'
import {kubectl} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {onCloud, succeed} from './cloud.ts'
import {pushedImage, pushImages} from './images.ts'
import {rolledOut} from './own-cloud.ts'

const PLACE = ['--namespace', 'kk-system']
export const OPERATOR = 'deployment/kk-operator'

/** Installs the operator from its image for a namespace, and waits until each of its Deployments runs. */
export async function installOperator(namespace: string, ...shape: readonly string[]): Promise<void> {
  await pushImages('kk')
  const image = await pushedImage('kk')
  await succeed(['operator', 'install', '--image', image, '--namespace', namespace, ...shape, '--yes'])
  // Clouds have reserved what there is.
  await kubectl(['set', 'resources', 'deployment', '--all', ...PLACE, '--requests=cpu=10m,memory=64Mi'])
  const deployments = await kubectl(['get', 'deployment', ...PLACE, '--output', 'name'])
  for (const each of deployments.trim().split('\n')) await rolledOut('kk-system', each)
}

export async function uninstallOperator(): Promise<void> {
  await succeed(['operator', 'uninstall', '--yes'])
}

/** Hands a file over to the operator, and lets it drive the environment. */
export async function hand(file: string, name: string): Promise<void> {
  await succeed(['operator', 'adopt', file])
  await succeed(['operator', 'resume', name])
}

/** What kk tells of the environment; its exit code says whether it is ready. */
export async function statusOf(name: string): Promise<OperatorStatus> {
  const {stdout, stderr} = await onCloud(['operator', 'status', name, '--output', 'json'])
  expect(stdout, stderr).not.toBe('')
  return JSON.parse(stdout) as OperatorStatus
}

/** Waits until every gate is open, and fails at once when the operator waits for somebody. */
export function operated(name: string): Promise<OperatorStatus> {
  return waitFor(
    async () => {
      const found = await statusOf(name)
      const [environment] = found.environments
      expect(['failed', 'stalled'], environment?.message).not.toContain(environment?.phase)
      return environment?.phase === 'ready' && found.leader !== null && found
    },
    {until: `${name} is ready`, seconds: 900},
  )
}

/** The records of helm in a namespace, sorted: `mariadb 2 deployed`. */
export async function recordsOf(namespace: string): Promise<readonly string[]> {
  const label = (name: string) => `{.metadata.labels.${name}}`
  const line = ['name', 'version', 'status'].map(label).join(' ')
  const listed = await kubectl([
    ...['get', 'secrets', '--namespace', namespace, '--selector', 'owner=helm'],
    ...['--output', `jsonpath={range .items[*]}${line}{"\\n"}{end}`],
  ])
  return listed.trim().split('\n').toSorted()
}
