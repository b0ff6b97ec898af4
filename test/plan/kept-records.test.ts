import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect, it} from 'vitest'
import {readEnvironment} from '../../src/environment/read.ts'
import type {SecretRecord} from '../../src/kubernetes/records/secret-store.ts'
import {systemLayers} from '../../src/overrides/layers-of-place.ts'
import {builtInPlugins} from '../../src/overrides/system/plugins.ts'
import {labelsOf} from '../../src/plan/labels.ts'
import {prepare} from '../../src/prepare/prepare.ts'
import {releaseId} from '../../src/release.ts'
import {secretNeeds} from '../../src/verbs/secrets/secret-needs.ts'
import {supplySecrets} from '../../src/verbs/secrets/supply-secrets.ts'
import {testDirectory} from '../support/test-directory.ts'

const FIXTURE = join(import.meta.dirname, '../fixtures/kept-records')
/** The labels that only a run writes: the run that made the revision, and whether its gate has passed. */
const OF_RUN = ['installation', 'run', 'gated'].map((name) => `kk.openstack.org/${name}`)

interface Kept {
  readonly items: readonly {
    readonly type: string
    readonly metadata: {readonly labels: Readonly<Record<string, string>>}
    readonly data: Readonly<Record<string, string>>
  }[]
}

/** Returns the labels of kk by the name of each release, and the secrets that were stored next to them. */
async function kept() {
  const {items} = JSON.parse(await readFile(join(FIXTURE, 'records.json'), 'utf8')) as Kept
  const records = items.filter(({type}) => type === 'helm.sh/release.v1')
  const secrets = items.filter((item) => !records.includes(item)).flatMap(({data}) => Object.entries(data))
  const kkLabels = (labels: Readonly<Record<string, string>>) =>
    Object.entries(labels).filter(([label]) => /kk\.openstack\.org\//.test(label) && !OF_RUN.includes(label))
  return {
    labels: Object.fromEntries(
      records.map(({metadata: {labels}}) => [labels.name!, Object.fromEntries(kkLabels(labels))]),
    ),
    secrets: new Map(
      secrets.map(([name, data]): [string, SecretRecord] => {
        const value = Buffer.from(data, 'base64').toString()
        return [name, {value, kind: 'password', since: ''}]
      }),
    ),
  }
}

it('an environment keeps the digests of a kk version from before its folders moved', async () => {
  const {labels, secrets} = await kept()
  const text = await readFile(join(FIXTURE, 'environment.yaml'), 'utf8')
  // Inferred from what helm renders, which does not run here.
  const stated = text.replace('  releases:\n', '  releases:\n    keystone: {requires: [mariadb]}\n')
  const plugins = builtInPlugins()
  const prepared = await prepare({
    environment: readEnvironment({file: 'environment.yaml', directory: FIXTURE, text: stated}),
    finding: {builtIn: async () => FIXTURE, cache: testDirectory(), packages: {} as never},
    values: [],
    sets: [],
    places: {plugins, system: systemLayers(async () => ({controllers: 3}), plugins)},
  })
  const needs = await secretNeeds(prepared)
  const cluster = new Map([['kept', secrets]])

  const {final: settled} = supplySecrets(prepared, {needs, cluster, store: new Map()})

  const now = Object.keys(labels).map((name) => {
    const {desired} = settled.releases.get(releaseId('kept', name))!
    return [name, labelsOf(desired, 1)]
  })
  expect(Object.keys(labels)).toHaveLength(4)
  expect(Object.fromEntries(now)).toEqual(labels)
})
