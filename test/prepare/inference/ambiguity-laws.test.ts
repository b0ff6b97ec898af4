import fc from 'fast-check'
import {expect, it} from 'vitest'
import type {Environment} from '../../../src/environment/environment.ts'
import {readEnvironment} from '../../../src/environment/read.ts'
import {build, type Requirement} from '../../../src/graph/build.ts'
import type {Graph} from '../../../src/graph/graph.ts'
import type {KnownRelease} from '../../../src/graph/inference/facts.ts'
import {type InferenceInputs, infer, withInferred} from '../../../src/graph/inference/infer.ts'
import {refine} from '../../../src/graph/inference/refine.ts'
import {choiceLines} from '../../../src/prepare/inference/ambiguity.ts'
import {possibleRequirements} from '../../../src/prepare/inference/infer-requirements.ts'
import {type ReleaseId, releaseName} from '../../../src/release.ts'
import {readYaml} from '../../../src/yaml/yaml.ts'
import {id} from '../../graph/graph-of.ts'
import {known, object, provides, want} from '../../graph/inference/known.ts'

const service = fc.constantFrom('x', 'y', 'z')
const release = fc.record({
  /** Services with one name only have releases of the environment, or only those of the chart index. */
  isOnShelf: fc.boolean(),
  has: fc.uniqueArray(service, {minLength: 1}),
  waitsFor: fc.uniqueArray(fc.record({name: service, isOnShelf: fc.boolean(), isReady: fc.boolean()}), {
    selector: ({name, isOnShelf}) => `${name} ${isOnShelf}`,
    maxLength: 4,
  }),
})
const world = fc.array(release, {minLength: 2, maxLength: 7})

const serviceOf = (name: string, isOnShelf: boolean) => `Service/${isOnShelf ? 'chartIndex' : 'own'}-${name}`

function releasesOf(stated: readonly (typeof release extends fc.Arbitrary<infer Each> ? Each : never)[]) {
  return stated.map(({isOnShelf, has, waitsFor}, index) => ({
    isOnShelf,
    known: known(`r${index}`, {
      provided: provides(...has.map((name) => serviceOf(name, isOnShelf))),
      wants: waitsFor.map((each) =>
        want(object(serviceOf(each.name, each.isOnShelf)), each.isReady ? 'ready' : 'applied'),
      ),
    }),
  }))
}

/** What an environment states, as its graph takes it. */
function statedIn({releases}: Environment): ReadonlyMap<ReleaseId, readonly Requirement[]> {
  const all = [...releases].map(([name, {requires}]) => {
    const evidence = {source: 'environment', file: 'cloud.yaml', text: name} as const
    return [
      id(name),
      requires.map((each) => ({release: id(each.release), kind: each.kind, evidence})),
    ] as const
  })
  return new Map(all)
}

interface Found {
  readonly graph?: Graph
  /** What is to be written, where something is ambiguous. */
  readonly lines: ReadonlyMap<ReleaseId, string>
}

/** As preparing an environment goes, on facts that are known. */
function prepared(environment: Environment, everything: readonly KnownRelease[]): Found {
  const stated = statedIn(environment)
  const wanted = [...environment.sections.keys()].map(id)
  const present = new Set([...wanted, ...[...stated.values()].flat().map((each) => each.release)])
  for (;;) {
    const releases = everything.filter((each) => present.has(each.release))
    const inputs: InferenceInputs = {
      releases,
      inferring: present,
      chartIndex: everything.filter((each) => !present.has(each.release)),
      named: new Set(wanted),
      stated: (from) => ({
        stated: new Set((stated.get(from) ?? []).map((each) => each.release)),
        without: new Set(),
      }),
    }
    const {requirements: inferred, added, ambiguous} = infer(inputs)
    for (const each of added) present.add(each)
    if (added.length > 0) continue
    const own = new Map(releases.map((each) => [each.release, stated.get(each.release) ?? []]))
    const requirements = possibleRequirements({stated: own, inferred, inputs})
    if (ambiguous.length > 0) return {lines: choiceLines(ambiguous, {environment, requirements})}
    const all = withInferred(own, inferred)
    const graph = build({
      wanted,
      requirementsOf: (each) => all.get(each),
      suggest: () => undefined,
      refine: (each) => refine(each, inferred),
    })
    return {graph, lines: new Map()}
  }
}

it('the proposed lines resolve every ambiguity without closing a cycle', () => {
  fc.assert(
    fc.property(world, (stated) => {
      const made = releasesOf(stated)
      const sections = made.filter(({isOnShelf}) => !isOnShelf).map((each) => releaseName(each.known.release))
      fc.pre(sections.length > 0)
      const settings: Record<string, unknown> = {}
      const load = () => {
        const text = JSON.stringify({
          kk: {releases: settings},
          ...Object.fromEntries(sections.map((name) => [name, {}])),
        })
        const environment = readEnvironment({file: 'cloud.yaml', directory: '/', text})
        return prepared(
          environment,
          made.map((each) => each.known),
        )
      }

      // What is chosen from the chart index may itself want what several have.
      let found = load()
      for (let round = 0; round < made.length && found.lines.size > 0; round++) {
        for (const [each, line] of found.lines)
          settings[releaseName(each)] = readYaml(line.slice(line.indexOf('{')))
        found = load()
      }

      expect(found.graph).toBeDefined()
    }),
    {numRuns: 1000},
  )
})
