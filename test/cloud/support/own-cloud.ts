import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect, inject} from 'vitest'
import type {Values} from '../../../src/base/values.ts'
import {kk, kubectl, makeNamespace, nodeUp} from '../../aio/support/node.ts'
import {testDirectory} from '../../support/test-directory.ts'
import {globalOfCloud} from './environment.ts'
import {pushImages, ROOT} from './images.ts'

/**
 * A cloud of kk's own charts on these images, in a namespace of its own; `remove` takes the namespace away
 * with its volumes.
 */
export async function makeCloud(...images: readonly string[]) {
  await nodeUp()
  // By that of kk itself pods wait for each other.
  await pushImages('kk', ...images)
  const namespace = await makeNamespace()
  const global = await globalOfCloud()
  const directory = testDirectory()
  const file = join(directory, 'cloud.yaml')
  /** Runs a verb for the sections, among them more of `kk` and `global`, whatever becomes of it. */
  const attempt = async (
    verb: string,
    {kk: own, global: shared, ...sections}: Values,
    ...args: readonly string[]
  ) => {
    const environment = {
      kk: {name: namespace, namespace, charts: [join(ROOT, 'charts')], ...(own as Values)},
      // Another cloud beside it has reserved what there is.
      global: {
        ...global,
        ...{storage: 'persistent', pod: {resources: {enabled: false}}},
        ...(shared as Values | undefined),
      },
      ...sections,
    }
    await writeFile(file, JSON.stringify(environment))
    // Tests change nothing, and nobody has to agree.
    const consent = verb === 'test' ? [] : ['--yes']
    return kk([verb, file, ...args, '--sandbox-name', 'aio', ...consent])
  }
  return {
    namespace,
    file,
    attempt,
    /** The same; fails the test when it does. */
    async run(verb: string, sections: Values, ...args: readonly string[]): Promise<void> {
      const {exitCode, stdout, stderr} = await attempt(verb, sections, ...args)
      expect(exitCode, `${stdout}\n${stderr}`).toBe(0)
    },
    async remove(): Promise<void> {
      await kubectl(['delete', 'namespace', namespace, '--wait=false'])
    },
  }
}

/**
 * Has a node on which no cloud has its Open vSwitch and its libvirt, of which there is one each. Throws when
 * the user has one on a node of the user's own.
 */
export async function freeNode(): Promise<void> {
  await nodeUp()
  const labels = ['--selector', 'app.kubernetes.io/name in (libvirt, openvswitch)']
  const onNode = await kubectl(['get', 'daemonsets', '--all-namespaces', ...labels, '--output', 'name'])
  if (onNode === '') return
  if (inject('aio').isFound) throw new Error('expected a node without a cloud: "kk aio down" takes it away')
  const {exitCode, stderr} = await kk(['aio', 'down'])
  expect(exitCode, stderr).toBe(0)
}

interface Client {
  readonly namespace: string
  readonly name: string
  readonly image: string
  /** What bash runs. */
  readonly script: string
  readonly env?: Readonly<Record<string, string>>
}

/** Starts a pod that uses a service, and waits until it runs. */
export async function startClient({namespace, name, image, script, env = {}}: Client): Promise<void> {
  await kubectl(['create', '--filename', '-'], {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {name, namespace},
    spec: {
      // Without any, its deletion would not wait for its end.
      terminationGracePeriodSeconds: 1,
      restartPolicy: 'Never',
      containers: [
        {
          name: 'client',
          image,
          command: ['bash', '-c', script],
          env: Object.entries(env).map(([key, value]) => ({name: key, value})),
        },
      ],
    },
  })
  await kubectl(['wait', '--namespace', namespace, `pod/${name}`, '--for=condition=Ready', '--timeout=300s'])
}

/** What a pod has printed, line by line. */
export async function linesOf(namespace: string, pod: string): Promise<readonly string[]> {
  const text = await kubectl(['logs', '--namespace', namespace, pod])
  return text.split('\n').filter((line) => line !== '')
}

/** Ends pods as a crash does, without a chance to stop. */
export async function killPods(namespace: string, ...names: readonly string[]): Promise<void> {
  await kubectl(['delete', 'pod', '--namespace', namespace, '--force', '--grace-period=0', ...names])
}

/** The ids of pods, by name: another id is another pod. */
export async function podIds(namespace: string, selector: string): Promise<Readonly<Record<string, string>>> {
  const {items} = JSON.parse(
    await kubectl(['get', 'pods', '--namespace', namespace, '--selector', selector, '--output', 'json']),
  ) as {items: {metadata: {name: string; uid: string}}[]}
  return Object.fromEntries(items.map(({metadata}) => [metadata.name, metadata.uid]))
}

/** Waits until a workload has as many ready pods of its newest template as it wants. */
export async function rolledOut(namespace: string, workload: string): Promise<void> {
  await kubectl(['rollout', 'status', '--namespace', namespace, workload, '--timeout=300s'])
}
