import {join} from 'node:path'
import {vendorCharts} from '../../../src/charts/vendor-charts.ts'
import {readEnvironment} from '../../../src/environment/read.ts'
import type {Helm} from '../../../src/helm/helm.ts'
import type {Facts} from '../../../src/overrides/facts/facts.ts'
import {mergedValues} from '../../../src/overrides/layers.ts'
import {systemLayers} from '../../../src/overrides/layers-of-place.ts'
import type {Plugin} from '../../../src/overrides/system/plugin.ts'
import {builtInPlugins, withPlugins} from '../../../src/overrides/system/plugins.ts'
import {type Prepared, prepare} from '../../../src/prepare/prepare.ts'
import {releaseName, releaseNamespace} from '../../../src/release.ts'
import {secretNeeds} from '../../../src/verbs/secrets/secret-needs.ts'
import {supplySecrets} from '../../../src/verbs/secrets/supply-secrets.ts'
import {readYamlDocuments} from '../../../src/yaml/yaml.ts'
import {testDirectory} from '../../support/test-directory.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** Charts in openstack-helm's dialect; kk's own are `charts`. */
export const OSH = join(ROOT, 'test/fixtures/openstack-helm')
export const KK = join(ROOT, 'charts')

interface Content {
  readonly kk?: object
  readonly facts?: Facts
  readonly outside?: readonly Plugin[]
}

/** An environment of these sections, with what plugins make of the facts; nothing is inferred. */
export async function preparedOf(
  sections: Readonly<Record<string, object>>,
  {kk = {}, facts = {}, outside = []}: Content,
): Promise<Prepared> {
  const cache = testDirectory()
  const plugins = withPlugins(builtInPlugins(), outside)
  return prepare({
    environment: readEnvironment({
      file: 'cloud.yaml',
      directory: ROOT,
      text: JSON.stringify({kk, ...sections}),
    }),
    finding: {builtIn: async () => KK, cache, packages: {} as never},
    values: [],
    sets: [],
    places: {plugins, system: systemLayers(async () => facts, plugins)},
  })
}

/** The same with generated secrets, of which nobody keeps any yet. */
export async function suppliedOf(prepared: Prepared): Promise<Prepared> {
  const needs = await secretNeeds(prepared)
  return supplySecrets(prepared, {needs, cluster: new Map(), store: new Map()}).final
}

export interface RenderedSecret {
  readonly release: string
  readonly name: string
  readonly data: Readonly<Record<string, string>>
}

/** The Secrets that helm makes of an environment, decoded. */
export async function renderedSecrets(
  {releases}: Prepared,
  helm: Pick<Helm, 'template'>,
): Promise<readonly RenderedSecret[]> {
  const directory = testDirectory()
  const copies = await vendorCharts(
    [...releases.values()].map(({chart}) => chart),
    directory,
  )
  const rendered = await Promise.all(
    [...releases].map(async ([id, {chart, layers}]) => {
      const release = releaseName(id)
      const manifest = await helm.template(
        {
          name: release,
          namespace: releaseNamespace(id),
          chart: copies.get(chart.directory)!,
          values: mergedValues(layers),
        },
        {},
      )
      const objects = readYamlDocuments(manifest, {file: release}) as readonly (SecretObject | null)[]
      return objects
        .filter((each) => each?.kind === 'Secret')
        .map((each) => ({release, name: each!.metadata.name, data: decoded(each!)}))
    }),
  )
  return rendered.flat()
}

interface SecretObject {
  readonly kind: string
  readonly metadata: {readonly name: string}
  readonly data?: Readonly<Record<string, string>>
  readonly stringData?: Readonly<Record<string, string>>
}

function decoded({data = {}, stringData = {}}: SecretObject): Readonly<Record<string, string>> {
  const texts = Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()])
  return {...Object.fromEntries(texts), ...stringData}
}
