import {join} from 'node:path'
import fc from 'fast-check'
import {expect, test} from 'vitest'
import type {Values} from '../../src/base/values.ts'
import {readEnvironment} from '../../src/environment/read.ts'
import type {Graph} from '../../src/graph/graph.ts'
import {digest} from '../../src/plan/digest.ts'
import {makePlan} from '../../src/plan/make-plan.ts'
import type {Plan} from '../../src/plan/plan.ts'
import {prepare} from '../../src/prepare/prepare.ts'
import {releaseName} from '../../src/release.ts'
import {arbitraryGraph} from '../graph/arbitrary-graph.ts'
import {recordOf} from '../plan/fixtures.ts'

const CHARTS = join(import.meta.dirname, '../fixtures/charts')
const LAWS = {numRuns: 25}

interface Document {
  readonly kk: Values & {readonly releases: Values}
  readonly sections: Values
}

test('the plan does not depend on the order of keys in sections and settings, or of requirements', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryDocument(), fc.integer(), async (document, seed) => {
      const plan = await planOf(document)

      const turned = await planOf({
        kk: shuffled(document.kk, seed),
        sections: inside(document.sections, seed),
      })

      expect(turned).toEqual(plan)
    }),
    LAWS,
  )
})

test('the order of sections only decides which of two independent releases comes first', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryDocument(), fc.integer(), async (document, seed) => {
      const plan = await planOf(document)

      const turned = await planOf({...document, sections: shuffled(document.sections, seed)})

      expect(sorted(turned)).toEqual(sorted(plan))
    }),
    LAWS,
  )
})

/**
 * An environment with a section for each release of a graph, with values and requirements in the settings.
 */
function arbitraryDocument(): fc.Arbitrary<Document> {
  const values = fc.array(fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat()), {maxLength: 100})
  return fc.tuple(arbitraryGraph(100), values).map(([graph, drawn]) => documentOf(graph, drawn))
}

function documentOf(graph: Graph, values: readonly Values[]): Document {
  const settings = graph.releases.map((release) => {
    const requires = graph.requirements.get(release)!.map(({to, kind}) => ({release: releaseName(to), kind}))
    return [releaseName(release), {chart: 'workload', requires}] as const
  })
  return {
    kk: {name: 'env', charts: [CHARTS], releases: Object.fromEntries(settings)},
    sections: Object.fromEntries(settings.map(([name], index) => [name, {pod: values[index] ?? {}}])),
  }
}

/** What the file plans on a cluster that has every second of its releases. */
async function planOf({kk, sections}: Document): Promise<Plan> {
  const text = JSON.stringify({kk, ...sections})
  const prepared = await prepare({
    environment: readEnvironment({file: 'env.yaml', text, directory: CHARTS}),
    finding: {
      builtIn: unused,
      cache: '/nonexistent',
      packages: {pull: unused, names: unused, index: unused, push: unused},
    },
    values: [],
    sets: [],
  })
  const desired = new Map([...prepared.releases].map(([release, each]) => [release, each.desired]))
  const deployed = [...desired.values()].filter(({release}) => /[02468]$/.test(release))
  return makePlan({
    environment: prepared.environment.name,
    file: prepared.environment.file,
    cluster: {context: 'sandbox', server: 'https://127.0.0.1:6443', uid: 'u', version: 'v1.36.0'},
    graph: prepared.graph,
    desired,
    records: deployed.map((each) => recordOf(each)),
    mode: {kind: 'all'},
  })
}

function unused(): never {
  throw new Error('all charts are in a directory')
}

/** The plan without the order of what is equal otherwise. */
function sorted({actions, ...plan}: Plan): object {
  return {
    ...plan,
    actions: actions
      .map((action) => ({
        ...action,
        requires: action.requires.toSorted((a, b) => (a.release < b.release ? -1 : 1)),
        group: action.group.toSorted(),
        reasons: action.reasons.toSorted(),
      }))
      .toSorted((a, b) => (a.release < b.release ? -1 : 1)),
  }
}

/** The same map, and all lists and maps in it, in another order. */
function shuffled<T>(value: T, seed: number): T {
  const rank = (of: unknown) => digest({seed, of})
  if (Array.isArray(value)) return value.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1)) as T
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, each]) => [key, shuffled(each, seed)] as const)
  return Object.fromEntries(entries.sort(([a], [b]) => (rank(a) < rank(b) ? -1 : 1))) as T
}

/** The same map with what its keys hold in another order. */
function inside(map: Values, seed: number): Values {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, shuffled(value, seed)]))
}
