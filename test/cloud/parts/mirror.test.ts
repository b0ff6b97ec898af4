import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {load} from 'js-yaml'
import {expect, it} from 'vitest'
import {REGISTRY} from '../../../scripts/cloud/images.ts'
import {mergeValues} from '../../../src/overrides/merge.ts'
import type {Values} from '../../../src/release.ts'
import {kk, kubectl, makeNamespace, nodeUp} from '../../aio/support/node.ts'
import {startRegistry} from '../../support/registry.ts'
import {CLOUD} from '../support/environment.ts'
import {pushImages, ROOT} from '../support/images.ts'

/** Runs kk; returns what it prints as JSON. */
async function json(...words: readonly string[]) {
  const {exitCode, stdout, stderr} = await kk([...words, '--output', 'json'])
  expect(exitCode, stderr).toBe(0)
  return JSON.parse(stdout)
}

it('a node that does not reach the registry of the images runs them from what was carried', async () => {
  await nodeUp()
  await pushImages('kk', 'memcached')
  const namespace = await makeNamespace()
  const directory = await mkdtemp(join(tmpdir(), 'kk-mirror-'))
  const [file, carried] = [join(directory, `${namespace}.yaml`), join(directory, 'carried')]
  const {global} = load(await readFile(CLOUD, 'utf8')) as {readonly global: Values}
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

    const deployed = await kk(['deploy', file, '--sandbox-name', 'aio', '--yes'])

    expect(deployed.exitCode, deployed.stderr).toBe(0)
    const pods = JSON.parse(await kubectl(['get', 'pods', '--namespace', namespace, '--output', 'json']))
    const images = pods.items.flatMap((pod: {spec: {containers: {image: string}[]}}) =>
      pod.spec.containers.map(({image}) => image),
    )
    expect(images.length).toBeGreaterThan(0)
    for (const image of images) expect(image).toMatch(new RegExp(`^${site}/upstream/kk/`))
  } finally {
    await kubectl(['delete', 'namespace', namespace, '--wait=false'])
    await rm(directory, {recursive: true, force: true})
  }
}, 1_200_000)
