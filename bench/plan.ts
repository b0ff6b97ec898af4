import {build, type Requirement} from '../src/graph/build.ts'
import {makePlan} from '../src/plan/make-plan.ts'
import type {Plan} from '../src/plan/plan.ts'
import {type ReleaseId, releaseId, releaseName} from '../src/release.ts'
import {desiredOf, recordOf} from '../test/plan/fixtures.ts'
import {median} from './measure/race.ts'
import {milliseconds, type Result} from './result.ts'

const ROUNDS = 15
const RELEASES = 5000
const REQUIREMENTS_EACH = 4

/** Planning alone, in this process and without a cluster. */
export async function measurePlan(): Promise<Result[]> {
  const plan = largePlan()
  const times = Array.from({length: ROUNDS}, () => {
    const start = performance.now()
    plan()
    return performance.now() - start
  })
  return [{what: 'graph and plan of 5,000 releases, 20,000 edges', value: milliseconds(median(times))}]
}

/** Builds the graph of 5,000 releases with about 20,000 edges, two thirds of them installed, and plans it. */
function largePlan(): () => Plan {
  const wanted = Array.from({length: RELEASES}, (_, index) => releaseId('openstack', `release-${index}`))
  const requirements = new Map(wanted.map((release, index) => [release, requiredBy(index, wanted)]))
  const desired = new Map(
    wanted.map((release) => {
      const requires = requirements.get(release)!.map((each) => releaseName(each.release))
      return [release, desiredOf(releaseName(release), {requires})]
    }),
  )
  const records = [...desired.values()].filter((_, index) => index % 3 > 0).map((each) => recordOf(each))
  return () =>
    makePlan({
      environment: 'all-in-one',
      file: 'large.yaml',
      cluster: {context: 'bench', server: 'https://bench', uid: 'bench', version: 'v1.36.0'},
      graph: build({
        wanted,
        requirementsOf: (release) => requirements.get(release),
        suggest: () => undefined,
      }),
      desired,
      records,
      mode: {kind: 'all'},
    })
}

/** Spread evenly over all that stand before it; the first five have fewer of them. */
function requiredBy(index: number, wanted: readonly ReleaseId[]): Requirement[] {
  const earlier = Array.from({length: REQUIREMENTS_EACH}, (_, each) =>
    Math.floor((index * (each + 1)) / (REQUIREMENTS_EACH + 1)),
  )
  return [...new Set(earlier)]
    .filter((other) => other < index)
    .map((other) => ({
      release: wanted[other]!,
      kind: 'ready' as const,
      evidence: {source: 'annotation' as const, file: 'Chart.yaml', text: 'kk.openstack.org/requires'},
    }))
}
