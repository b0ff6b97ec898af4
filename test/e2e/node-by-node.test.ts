import {mkdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import type {RunEvent} from '../../src/run/events.ts'
import {atNight} from '../support/night.ts'
import {start} from './support/background.ts'
import {auditEvents, get} from './support/cluster.ts'
import {type Corner, openCorner} from './support/corner.ts'
import {eventsIn} from './support/events.ts'

const AGENT = `
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: agent
  annotations: {kk.openstack.org/roll: node-by-node}
spec:
  updateStrategy: {type: OnDelete}
  selector: {matchLabels: {app: agent}}
  template:
    metadata:
      labels: {app: agent}
      annotations: {sandbox.kk.openstack.org/ready-after: {{ .Values.readyAfter }}}
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{name: agent, image: {{ .Values.image | quote }}}]
`

/** A release with a DaemonSet on the three nodes of the sandbox, deployed with its first image. */
async function agents() {
  const corner = await openCorner()
  const chart = join(corner.directory, 'charts/agent')
  await mkdir(join(chart, 'templates'), {recursive: true})
  await writeFile(
    join(chart, 'Chart.yaml'),
    'apiVersion: v2\nname: agent\nversion: 0.1.0\nannotations: {kk.openstack.org/requires: ""}\n',
  )
  await writeFile(join(chart, 'templates/agent.yaml'), AGENT)
  const write = (image: string, timeout = '1m') =>
    corner.write(
      'env.yaml',
      `
kk: {name: NAME, namespace: NAME, charts: [charts], releases: {agent: {timeout: ${timeout}}}}
agent: {image: "${image}", readyAfter: 1s}
`,
    )
  await write('agent:1')
  const {exitCode, stderr} = await corner.kk(['deploy', 'env.yaml'])
  expect(exitCode, stderr).toBe(0)
  return {corner, write}
}

interface Pods {
  readonly items: readonly {
    readonly metadata: {readonly name: string}
    readonly spec: {readonly nodeName: string; readonly containers: readonly {readonly image: string}[]}
  }[]
}

const podsOf = async ({name}: Corner) => (await get<Pods>('pods', '--namespace', name)).items
const images = async (corner: Corner) =>
  (await podsOf(corner)).map(({spec}) => spec.containers[0]?.image).sort()
const isDeletion = ({type}: RunEvent) => type === 'object-deleted'

describe.concurrent('pods that are replaced node by node', () => {
  it('are replaced one after the other, each when the new one before is ready, up to the first failure', async () => {
    const {corner, write} = await agents()
    const before = await podsOf(corner)
    const order = before
      .toSorted((one, other) => one.spec.nodeName.localeCompare(other.spec.nodeName))
      .map(({metadata}) => `Pod/${metadata.name}`)
    await write('agent:2')

    const plan = await corner.kk(['plan', 'env.yaml'])
    const run = await corner.kk(['deploy', 'env.yaml', '--output', 'ndjson'])

    expect(plan.stdout).toContain('pods of DaemonSet/agent are replaced node by node, if they change')
    expect(run.exitCode, run.stderr).toBe(0)
    expect(run.stderr).toContain('DaemonSet/agent: 2 of 3 nodes have its new pod')
    const deleted = eventsIn(run.stdout).flatMap((event) =>
      event.type === 'object-deleted' ? [event.object] : [],
    )
    expect(deleted).toEqual(order)
    expect(await images(corner)).toEqual(['agent:2', 'agent:2', 'agent:2'])
    expect(await together(corner, new Set(before.map(({metadata}) => metadata.name)))).toBe(1)

    await write('registry.invalid/agent:3', '20s')
    const stopped = await corner.kk(['deploy', 'env.yaml'])

    expect(stopped.exitCode).toBe(1)
    expect(stopped.stderr).toContain('ImagePullBackOff')
    expect(await images(corner)).toEqual(['agent:2', 'agent:2', 'registry.invalid/agent:3'])
  })

  atNight(() => {
    it('are continued by the next run after kk was killed, and by none once all are replaced', async () => {
      const {corner, write} = await agents()
      await write('agent:2')
      const killed = start(corner, ['deploy', 'env.yaml'])
      await killed.saw(isDeletion, 'the first pod was deleted')
      killed.signal('SIGKILL')
      await killed.ended()

      const next = await corner.kk(['deploy', 'env.yaml', '--output', 'ndjson'])
      const last = await corner.kk(['plan', 'env.yaml', '--detailed-exitcode'])

      expect(next.exitCode, next.stderr).toBe(0)
      expect(eventsIn(next.stdout).filter(isDeletion)).toHaveLength(2)
      expect(await images(corner)).toEqual(['agent:2', 'agent:2', 'agent:2'])
      expect(last.exitCode, last.stdout).toBe(0)
    })
  })
})

/** How many nodes at most were without a ready pod at a time, while the first pods were replaced. */
async function together({name}: Corner, first: ReadonlySet<string>): Promise<number> {
  let most = 0
  const gone = new Set<string>()
  const ready = new Set<string>()
  for (const {verb, objectRef, requestObject} of await auditEvents(name)) {
    const pod = objectRef?.resource === 'pods' ? (objectRef.name ?? '') : ''
    if (pod === '') continue
    if (verb === 'delete' && first.has(pod)) gone.add(pod)
    const isReady = requestObject?.status?.conditions?.some(
      ({type, status}) => type === 'Ready' && status === 'True',
    )
    if (isReady && !first.has(pod)) ready.add(pod)
    most = Math.max(most, gone.size - ready.size)
  }
  return most
}
