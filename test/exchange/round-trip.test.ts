import {join} from 'node:path'
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {isMap, type Values} from '../../src/base/values.ts'
import {workflowTemplate} from '../../src/exchange/argo-workflows/write.ts'
import {importArgocd} from '../../src/exchange/argocd/read.ts'
import {argocdApplications} from '../../src/exchange/argocd/write.ts'
import {importArmada} from '../../src/exchange/armada/read.ts'
import {armadaManifest} from '../../src/exchange/armada/write.ts'
import {type Exported, type ExportedFiles, releasesOf} from '../../src/exchange/exported.ts'
import {importFlux} from '../../src/exchange/flux/read.ts'
import {fluxObjects} from '../../src/exchange/flux/write.ts'
import {helmScript} from '../../src/exchange/helm/script.ts'
import {importHelmfile} from '../../src/exchange/helmfile/read.ts'
import {helmfile} from '../../src/exchange/helmfile/write.ts'
import type {Imported} from '../../src/exchange/imported.ts'
import {readYamlDocuments} from '../../src/yaml/yaml.ts'
import {writeFiles} from '../charts/support/write-files.ts'
import {exportedWith} from './support/exported.ts'

const SOURCES = [
  {kind: 'oci', url: 'oci://registry.example.org/charts'},
  {kind: 'repository', url: 'https://charts.example.org/stable'},
] as const

/** An export, and the edges of the environment that it is of, by names. */
interface Case {
  readonly exported: Exported
  readonly requires: ReadonlyMap<string, readonly string[]>
}

const scalars = fc.oneof(
  fc.constantFrom(null, true, false, '', 'yes', 'no', '010', '1:30', '1e3', '~', '{{ x }}', 'a: b', "it's"),
  fc.string({maxLength: 8}),
  fc.integer({min: -1_000_000, max: 1_000_000}),
)
const keys = fc.constantFrom('conf', 'pod', 'a.b', 'on', '010', 'with space', '"', 'x/y')
const {values} = fc.letrec<{values: Values; value: unknown}>((tie) => ({
  values: fc.dictionary(keys, tie('value'), {maxKeys: 4, noNullPrototype: true}) as fc.Arbitrary<Values>,
  value: fc.oneof(
    {maxDepth: 3, depthSize: 'small'},
    scalars,
    fc.array(scalars, {maxLength: 3}),
    tie('values') as fc.Arbitrary<unknown>,
  ),
}))

const stated = fc.record({
  values,
  source: fc.constantFrom(...SOURCES),
  namespace: fc.constantFrom('openstack', 'kube-system'),
  timeoutSeconds: fc.integer({min: 1, max: 20_000}),
  protected: fc.boolean(),
  hooksAfter: fc.boolean(),
  /** Of earlier blocks. */
  wants: fc.array(fc.record({at: fc.nat(99), kind: fc.constantFrom('', ':applied', ':soft')}), {
    maxLength: 3,
  }),
})

/**
 * Blocks of one to three releases: those of a block need each other, and any of them some of earlier blocks.
 */
const cases: fc.Arbitrary<Case> = fc
  .array(fc.array(stated, {minLength: 1, maxLength: 3}), {minLength: 1, maxLength: 5})
  .map((blocks) => {
    const named = blocks.map((block, at) => block.map((each, index) => ({...each, name: `r${at}-${index}`})))
    const requires = new Map<string, readonly string[]>()
    const releases = named.flatMap((block, at) => {
      const earlier = named.slice(0, at).flat()
      return block.map(({name, wants, source, ...rest}, index) => {
        const before = earlier.length === 0 ? [] : wants
        const outside = before.map((want) => `${earlier[want.at % earlier.length]!.name}${want.kind}`)
        const next = block[(index + 1) % block.length]!.name
        const all = [...outside, ...(block.length > 1 ? [`${next}:applied`] : [])]
        requires.set(
          name,
          [...new Set(all)].map((word) => word.split(':')[0]!),
        )
        const chart = {name: 'web', version: '1.2.3+up4', source, isLocked: false}
        return [
          name,
          {...rest, chart, requires: [...new Map(all.map((word) => [word.split(':')[0], word])).values()]},
        ] as const
      })
    })
    return {exported: exportedWith(Object.fromEntries(releases)), requires}
  })

/** All that a release requires, directly or not, but for itself and its group: in a group nobody is first. */
function before(requires: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, ReadonlySet<string>> {
  const reached = new Map([...requires.keys()].map((name) => [name, reachedFrom(name, requires)]))
  return new Map(
    [...reached].map(([name, all]) => [
      name,
      new Set([...all].filter((each) => !reached.get(each)!.has(name))),
    ]),
  )
}

function reachedFrom(name: string, requires: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const found = new Set<string>()
  const open = [...requires.get(name)!]
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    if (found.has(each)) continue
    found.add(each)
    open.push(...requires.get(each)!)
  }
  return found
}

function imports({releases}: Imported): ReadonlyMap<string, readonly string[]> {
  return new Map(releases.map(({name, requires}) => [name, requires.map((each) => each.split('/').at(-1)!)]))
}

/** What an environment says of its releases, in a form that knows no order. */
function contentOf(exported: Exported) {
  return releasesOf(exported).map(({name, namespace, chart, values}) => [
    name,
    {namespace, chart: chart.name, values: JSON.parse(JSON.stringify(values)) as Values},
  ])
}

function contentOfImport({releases}: Imported) {
  return releases.map(({name, namespace, chart, values}) => [name, {namespace, chart: chart.name, values}])
}

function documentsOf(files: ExportedFiles) {
  return [...files].flatMap(([file, text]) =>
    readYamlDocuments(text)
      .filter(isMap)
      .map((value) => ({file, value})),
  )
}

const common = {name: 'cloud', showSecrets: true}

const READERS = {
  flux: async (exported: Exported) =>
    importFlux({...common, path: 'out', documents: documentsOf(fluxObjects(exported))}),
  helmfile: async (exported: Exported) => {
    const files = helmfile(exported)
    const file = join(writeFiles(Object.fromEntries(files)), 'helmfile.yaml')
    return importHelmfile({...common, file, text: files.get('helmfile.yaml')!, isBuilt: false})
  },
  argocd: async (exported: Exported) =>
    importArgocd({...common, path: 'out', documents: documentsOf(argocdApplications(exported))}),
  armada: async (exported: Exported) => {
    const documents = documentsOf(armadaManifest(exported)).map(({value}) => value)
    return importArmada({...common, file: 'armada.yaml', documents, overrides: [], isPlain: true})
  },
} as const

describe.each(['flux', 'helmfile', 'argocd', 'armada'] as const)('law: an export for %s', (format) => {
  it('is imported with the same releases and values', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({exported}) => {
        const imported = await READERS[format](exported)

        expect(Object.fromEntries(contentOfImport(imported))).toEqual(Object.fromEntries(contentOf(exported)))
      }),
    )
  })
})

it.each(['flux', 'helmfile'] as const)(
  'law: an export for %s is imported with the same order',
  async (format) => {
    await fc.assert(
      fc.asyncProperty(cases, async ({exported, requires}) => {
        const imported = await READERS[format](exported)

        expect(before(imports(imported))).toEqual(before(requires))
      }),
    )
  },
)

it.each(['argocd', 'armada'] as const)(
  'law: an export for %s, which only knows levels, keeps releases in order',
  async (format) => {
    await fc.assert(
      fc.asyncProperty(cases, async ({exported, requires}) => {
        const after = before(imports(await READERS[format](exported)))

        for (const [name, all] of before(requires))
          expect(
            [...all].filter((each) => !after.get(name)!.has(each)),
            name,
          ).toEqual([])
      }),
    )
  },
)

it('law: protected releases and timeouts survive a round trip through Flux and Armada', async () => {
  await fc.assert(
    fc.asyncProperty(cases, fc.constantFrom('flux', 'armada'), async ({exported}, format) => {
      const {releases} = await READERS[format](exported)

      const found = new Map(releases.map((each) => [each.name, [each.protected ?? false, each.timeout]]))
      for (const each of releasesOf(exported))
        expect(found.get(each.name)).toEqual([each.protected, `${each.timeoutSeconds}s`])
    }),
  )
})

it('law: an export does not depend on the order of values', () => {
  const writers = [helmScript, helmfile, fluxObjects, argocdApplications, workflowTemplate, armadaManifest]
  fc.assert(
    fc.property(cases, fc.constantFrom(...writers), ({exported}, write) => {
      const groups = exported.groups.map((group) =>
        group.map((each) => ({...each, values: turned(each.values)})),
      )

      expect(write({...exported, groups})).toEqual(write(exported))
    }),
  )
})

function turned(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values)
      .toReversed()
      .map(([key, value]) => [key, isMap(value) ? turned(value) : value]),
  )
}
