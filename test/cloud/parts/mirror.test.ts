import {rm, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect, it} from 'vitest'
import {REGISTRY} from '../../../scripts/cloud/images.ts'
import {mergeValues} from '../../../src/base/merge.ts'
import type {Values} from '../../../src/base/values.ts'
import {kk, kubectl, makeNamespace, nodeUp} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {startRegistry} from '../../support/registry.ts'
import {testDirectory} from '../../support/test-directory.ts'
import {cutOff} from '../support/cut-off.ts'
import {globalOfCloud} from '../support/environment.ts'
import {pushedImage, pushImages, ROOT} from '../support/images.ts'

/** An address that is nobody's (RFC 5737), and on no machine. */
const OUTSIDE = '203.0.113.1'

/** Runs kk; returns what it prints as JSON. */
async function json(...words: readonly string[]) {
  const {exitCode, stdout, stderr} = await kk([...words, '--output', 'json'])
  expect(exitCode, stderr).toBe(0)
  return JSON.parse(stdout)
}

/**
 * What the node says of a container with an image from out there, and one of whose own image asks for
 * something there.
 */
async function outside(namespace: string) {
  const image = await pushedImage('memcached')
  const ask = ['bash', '-c', `exec 3<>/dev/tcp/${OUTSIDE}/443`]
  for (const [name, container] of [
    ['pulls', {image: `${OUTSIDE}/any/image`}],
    ['asks', {image, command: ask, terminationMessagePolicy: 'FallbackToLogsOnError'}],
  ] as const) {
    await kubectl(['create', '--namespace', namespace, '--filename', '-'], {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {name},
      spec: {restartPolicy: 'Never', containers: [{name, ...container}]},
    })
  }
  const said = (name: string, state: string) =>
    waitFor(
      () => {
        const path = `jsonpath={.status.containerStatuses[0].state.${state}.message}`
        return kubectl(['get', 'pod', name, '--namespace', namespace, '--output', path])
      },
      {until: `the container ${name} is refused`, seconds: 120},
    )
  return {pulls: await said('pulls', 'waiting'), asks: await said('asks', 'terminated')}
}

it('a node without network deploys an environment from a mirror directory', async () => {
  await nodeUp()
  await pushImages('kk', 'memcached')
  const namespace = await makeNamespace()
  const directory = testDirectory()
  const [file, carried] = [join(directory, `${namespace}.yaml`), join(directory, 'carried')]
  const global = await globalOfCloud()
  let content: Values = {
    kk: {name: namespace, namespace, charts: [join(ROOT, 'charts')]},
    global: mergeValues(global, {pod: {resources: {enabled: false}}}),
    memcached: {conf: {memcached: {'memory-limit': 64}}},
  }
  const mirror = (...words: readonly string[]) => json('images', 'mirror', ...words)
  /** Writes the file with the settings that a mirror has told. */
  const use = async ({environments}: {readonly environments: readonly {readonly settings: Values}[]}) => {
    content = mergeValues(content, environments[0]?.settings ?? {})
    await writeFile(file, JSON.stringify(content))
  }
  await use({environments: []})
  try {
    const upstream = await startRegistry()
    await use(await mirror('-e', file, '--to', `${upstream.host}/upstream`))
    await mirror('-e', file, '--to', carried)
    await upstream[Symbol.asyncDispose]()
    const site = `${REGISTRY}/${namespace}`
    await use(await mirror('--from', carried, '--to', site))
    await rm(carried, {recursive: true})

    await using _cut = await cutOff()
    const refused = expect.stringContaining('refused')
    expect(await outside(namespace)).toEqual({pulls: refused, asks: refused})
    const deployed = await kk(['deploy', file, '--sandbox-name', 'aio', '--yes'])

    expect(deployed.exitCode, deployed.stderr).toBe(0)
    const pods = JSON.parse(await kubectl(['get', 'pods', '--namespace', namespace, '--output', 'json']))
    const images = pods.items
      .filter(({metadata}: {metadata: {name: string}}) => !['pulls', 'asks'].includes(metadata.name))
      .flatMap((pod: {spec: {containers: {image: string}[]}}) => pod.spec.containers.map(({image}) => image))
    expect(images.length).toBeGreaterThan(0)
    for (const image of images) expect(image).toMatch(new RegExp(`^${site}/upstream/kk/`))
  } finally {
    await kubectl(['delete', 'namespace', namespace, '--wait=false'])
  }
}, 1_200_000)
