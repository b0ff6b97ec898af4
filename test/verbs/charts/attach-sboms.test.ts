import {join} from 'node:path'
import {expect, it} from 'vitest'
import {registryDestination} from '../../../src/charts/publishing/destination-registry.ts'
import {helmPackages} from '../../../src/helm/pull.ts'
import type {Descriptor} from '../../../src/images/registry/content.ts'
import {type Distribution, openDistribution} from '../../../src/images/registry/distribution.ts'
import {attachSboms, planSboms} from '../../../src/verbs/charts/attach-sboms.ts'
import {planPublish, publish} from '../../../src/verbs/charts/publish-charts.ts'
import {writeFiles} from '../../charts/support/write-files.ts'
import {HELMS} from '../../support/helms.ts'
import {startRegistry} from '../../support/registry.ts'
import {toolPath} from '../../support/tools.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** Publishes keystone; returns its package, and the manifest that the registry made of it. */
async function publishKeystone(url: string, store: Distribution) {
  const home = writeFiles({})
  const env = {HOME: home, PATH: process.env.PATH}
  const packages = helmPackages({path: await toolPath(HELMS[0]!), env, directory: join(home, 'run')})
  const finding = {builtIn: async () => join(ROOT, 'charts'), cache: home, packages}
  const destination = registryDestination({url, plain: false, packages})
  const charts = await planPublish({charts: ['keystone'], version: undefined, finding, destination})
  await publish(charts, destination)
  return {packed: charts[0]!.packed, digest: await store.digestOf('charts/keystone', '0.1.0')}
}

async function read(store: Distribution, {digest}: Pick<Descriptor, 'digest'>) {
  return JSON.parse((await store.manifest('charts/keystone', digest))!.bytes.toString())
}

async function readLayer(store: Distribution, layer: Descriptor) {
  const parts: Uint8Array[] = []
  for await (const part of await store.readBlob('charts/keystone', layer)) parts.push(part)
  return JSON.parse(Buffer.concat(parts).toString())
}

it('an SBOM is attached to the manifest of a chart once, under a tag if the registry has no referrers API', async () => {
  await using registry = await startRegistry()
  const store = openDistribution({host: registry.host, env: {}})
  const url = `oci://${registry.host}/charts`
  const {packed, digest} = await publishKeystone(url, store)
  const planned = async () =>
    (await planSboms([{packed, state: 'there'}], url, store)).map(({state}) => state)

  expect(await planned()).toEqual(['new'])
  expect(await store.tags('charts/keystone')).toEqual(['0.1.0'])
  const first = await attachSboms([packed], url, store)
  expect(await planned()).toEqual(['there'])
  const again = await attachSboms([packed], url, store)

  expect([first, again].map(([each]) => each!.state)).toEqual(['new', 'there'])
  expect(await store.digestOf('charts/keystone', '0.1.0')).toBe(digest)
  const index = await read(store, {digest: digest!.replace(':', '-')})
  expect(index.manifests).toMatchObject([{artifactType: 'application/vnd.cyclonedx+json'}])
  const manifest = await read(store, index.manifests[0])
  expect(manifest.subject.digest).toBe(digest)
  const sbom = await readLayer(store, manifest.layers[0])
  expect(sbom.metadata.component).toMatchObject({
    name: 'keystone',
    version: '0.1.0',
    hashes: [{alg: 'SHA-256', content: packed.digest}],
  })
  expect(sbom.components).toEqual(
    expect.arrayContaining([
      expect.objectContaining({type: 'application', 'bom-ref': 'charts/common', name: 'common'}),
      expect.objectContaining({
        type: 'container',
        name: 'localhost:5010/kk/keystone',
        version: '2025.1-debian-trixie',
      }),
    ]),
  )
  expect(sbom.dependencies[0].dependsOn).toHaveLength(sbom.components.length)
})

it('an SBOM gets no tag if the registry has a referrers API', async () => {
  await using registry = await startRegistry()
  const url = `oci://${registry.host}/charts`
  const attached: Descriptor[] = []
  const plain = openDistribution({host: registry.host, env: {}})
  const store: Distribution = {...plain, referrers: async () => attached}
  const {packed, digest} = await publishKeystone(url, store)

  const first = await attachSboms([packed], url, store)

  expect(first).toMatchObject([{state: 'new'}])
  expect(await store.tags('charts/keystone')).toEqual(['0.1.0'])
  expect(await store.digestOf('charts/keystone', digest!)).toBe(digest)
})
