import {describe, expect, it} from 'vitest'
import {start} from './support/background.ts'
import {get, kubectl, waitFor} from './support/cluster.ts'
import {eventsIn} from './support/events.ts'
import {objectsCorner, workload} from './support/objects-chart.ts'

/** A Deployment whose pod has these variables and volumes. */
function deployment(
  name: string,
  {container = {}, pod = {}}: {readonly container?: object; readonly pod?: object},
) {
  const main = {name: 'main', image: 'registry.example.org/x:1', ...container}
  const template = {metadata: {labels: {app: name}}, spec: {containers: [main], ...pod}}
  return workload('Deployment', name, {spec: {template}})
}

const settings = (optional = false) => ({
  pod: {volumes: [{name: 'settings', configMap: {name: 'settings', optional}}]},
})
const key = {name: 'KEY', valueFrom: {secretKeyRef: {name: 'credentials', key: 'password'}}}
const colour = {name: 'COLOUR', valueFrom: {configMapKeyRef: {name: 'there', key: 'colour'}}}

interface Pods {
  readonly items: readonly {
    readonly status: {readonly containerStatuses?: readonly {readonly state: object}[]}
  }[]
}

describe.concurrent('a pod in the sandbox that refers to a missing object', () => {
  it('keeps its release unhealthy, and the gate names the missing object or key', async () => {
    const there = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'there'}, data: {shape: 'round'}}
    const of = (...objects: readonly object[]) => ({objects, timeout: '15s'})
    const corner = await objectsCorner({
      mounts: of(deployment('mounts', settings())),
      reads: of(deployment('reads', {container: {env: [key]}})),
      imports: of(deployment('imports', {container: {envFrom: [{secretRef: {name: 'credentials'}}]}})),
      first: of(
        deployment('first', {
          pod: {initContainers: [{name: 'init', image: 'registry.example.org/x:1', env: [key]}]},
        }),
      ),
      lacks: of(there, deployment('lacks', {container: {env: [colour]}})),
      optional: of(deployment('optional', settings(true))),
    })

    const {exitCode, stdout, stderr} = await corner.kk('deploy', '--yes', '--output', 'ndjson')

    const failures = eventsIn(stdout).flatMap((event) =>
      event.type === 'release-failed' ? [[event.release.split('/')[1]!, event.error.message] as const] : [],
    )
    expect(exitCode, stderr).toBe(1)
    expect(Object.fromEntries(failures)).toEqual({
      mounts: expect.stringContaining(
        'FailedMount (MountVolume.SetUp failed for volume "settings" : configmap "settings" not found)',
      ),
      reads: expect.stringContaining('CreateContainerConfigError (secret "credentials" not found)'),
      imports: expect.stringContaining('CreateContainerConfigError (secret "credentials" not found)'),
      first: expect.stringContaining(
        'container init: CreateContainerConfigError (secret "credentials" not found)',
      ),
      lacks: expect.stringContaining(`couldn't find key colour in ConfigMap ${corner.name}/there`),
    })
  })

  it('starts when the object is created', async () => {
    const corner = await objectsCorner({
      app: {objects: [deployment('app', settings()), deployment('other', {container: {env: [key]}})]},
    })
    const pods = () => get<Pods>('pods', '--namespace', corner.name)
    const run = start(corner.corner, ['deploy', 'env.yaml', '--yes'], {env: corner.env})
    const waiting = await waitFor(
      async () => {
        const states = (await pods()).items.map(({status}) => status.containerStatuses?.[0]?.state)
        return states.length === 2 && states.every((state) => state !== undefined) && states
      },
      {until: 'both pods have a status'},
    )

    const place = ['--namespace', corner.name]
    await kubectl(['create', 'configmap', 'settings', ...place, '--from-literal=a=b'])
    await kubectl(['create', 'secret', 'generic', 'credentials', ...place, '--from-literal=password=x'])
    const {exitCode, stderr} = await run.ended()

    expect(waiting).toEqual(
      expect.arrayContaining([
        {waiting: {reason: 'ContainerCreating'}},
        {waiting: {reason: 'CreateContainerConfigError', message: 'secret "credentials" not found'}},
      ]),
    )
    expect(exitCode, stderr).toBe(0)
  })
})
