import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {kubectl, makeNamespace} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {servicesUp} from '../support/catalogue.ts'
import {NAMESPACE} from '../support/cloud.ts'

const MEGABYTES = 64
let namespace: string
let image: string
/** The volumes of other claims: one is of the chart's own test. */
let others: readonly object[]

beforeAll(async () => {
  await servicesUp(['rbd-provisioner'])
  others = await volumes()
  image = await kubectl([
    ...['get', 'daemonset', '--namespace', NAMESPACE, 'rbd-provisioner-node'],
    ...['--output', 'jsonpath={.spec.template.spec.containers[0].image}'],
  ])
  namespace = await makeNamespace()
  await kubectl(['apply', '--filename', '-'], {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {name: 'data', namespace},
    spec: {
      storageClassName: 'ceph',
      accessModes: ['ReadWriteMany'],
      resources: {requests: {storage: '128Mi'}},
    },
  })
})
afterAll(() => kubectl(['delete', 'namespace', namespace]))

/** Starts a pod that has the claim at /data, and waits until it runs. */
async function startPod(name: string): Promise<void> {
  await kubectl(['apply', '--filename', '-'], {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {name, namespace},
    spec: {
      terminationGracePeriodSeconds: 1,
      // As most pods of kk's charts: of a group of its own, and not root.
      securityContext: {runAsUser: 12345, runAsGroup: 12345, fsGroup: 12345},
      volumes: [{name: 'data', persistentVolumeClaim: {claimName: 'data'}}],
      containers: [
        {
          name: 'user',
          image,
          command: ['sleep', '86400'],
          volumeMounts: [{name: 'data', mountPath: '/data'}],
        },
      ],
    },
  })
  await kubectl(['wait', '--namespace', namespace, `pod/${name}`, '--for=condition=Ready', '--timeout=300s'])
}

const inPod = (name: string, command: string) =>
  kubectl(['exec', '--namespace', namespace, name, '--', 'bash', '-c', command])
const removePod = (name: string) => kubectl(['delete', 'pod', '--namespace', namespace, name])

/** What Ceph answers whoever keeps it, as JSON. */
async function ceph<T>(...question: readonly string[]): Promise<T> {
  const keeper = [
    '--conf',
    '/etc/ceph/ceph.conf',
    '--name',
    'client.admin',
    '--keyring',
    '/etc/ceph/mon.keyring',
  ]
  const words = ['ceph', ...keeper, ...question, '--format', 'json']
  return JSON.parse(await kubectl(['exec', '--namespace', NAMESPACE, 'ceph-mon-0', '--', ...words])) as T
}

const volumes = () => ceph<readonly object[]>('fs', 'subvolume', 'ls', 'cephfs', '--group_name', 'kubernetes')

/** The megabytes that files have in the file system. */
async function stored(): Promise<number> {
  const {pools} = await ceph<{
    readonly pools: readonly {readonly name: string; readonly stats: {readonly stored: number}}[]
  }>('df')
  return pools.find(({name}) => name === 'cephfs_data')!.stats.stored / 2 ** 20
}

describe('rbd-provisioner: a claim on Ceph', () => {
  let before: number
  let sum: string

  it('keeps its data when its pod is deleted', async () => {
    before = await stored()
    await startPod('first')
    sum = await inPod(
      'first',
      `head --bytes=${MEGABYTES}M /dev/urandom >/data/written && md5sum </data/written`,
    )
    await removePod('first')

    await startPod('second')

    expect(await inPod('second', 'md5sum </data/written')).toBe(sum)
    expect(await inPod('second', 'df --block-size=1M --output=size /data')).toMatch(/\b128$/m)
    await waitFor(async () => (await stored()) >= before + MEGABYTES, {
      until: 'Ceph has counted it',
      seconds: 60,
    })
  })

  it('is used by several pods concurrently', async () => {
    await startPod('third')
    await inPod('third', 'echo hello >/data/greeting')

    expect(await inPod('second', 'cat /data/greeting')).toBe('hello')
    await removePod('third')
  })

  it('stays mounted when the pods of the driver are replaced', async () => {
    await inPod('second', 'tail --follow /data/written >/dev/null 2>&1 & echo $! >/tmp/reader')
    const parts = ['rollout', '--namespace', NAMESPACE]
    await kubectl([
      ...parts,
      'restart',
      'daemonset/rbd-provisioner-node',
      'deployment/rbd-provisioner-provisioner',
    ])
    await kubectl([...parts, 'status', 'daemonset/rbd-provisioner-node', '--timeout=300s'])
    await kubectl([...parts, 'status', 'deployment/rbd-provisioner-provisioner', '--timeout=300s'])

    expect(
      await inPod('second', 'kill -0 $(cat /tmp/reader) && md5sum </data/written && echo more >>/data/log'),
    ).toBe(sum)
  })

  it('leaves nothing in Ceph after its deletion', async () => {
    expect(await volumes()).toHaveLength(others.length + 1)
    await removePod('second')
    await kubectl(['delete', 'persistentvolumeclaim', '--namespace', namespace, 'data'])

    const left = [
      'get',
      'persistentvolumes',
      '--output',
      `jsonpath={.items[?(@.spec.claimRef.namespace=="${namespace}")].metadata.name}`,
    ]
    await waitFor(async () => (await kubectl(left)) === '', {until: 'its volume is gone', seconds: 180})
    expect(await volumes()).toEqual(others)
    // Ceph counts late: what the chart's own test has written may come in after `before`.
    await waitFor(async () => (await stored()) < before + MEGABYTES / 2, {
      until: 'its space is free',
      seconds: 300,
    })
  })
})
