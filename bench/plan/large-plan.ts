import {build, type Requirement} from '../../src/graph/build.ts'
import {makePlan} from '../../src/plan/make-plan.ts'
import type {Plan} from '../../src/plan/plan.ts'
import {type ReleaseId, releaseId, releaseName} from '../../src/release.ts'
import {desiredOf, recordOf} from '../../test/plan/fixtures.ts'

/** Names of releases, and the indices of the requirements of each. */
export interface Shape {
  readonly releases: number
  readonly requiredBy: (index: number) => readonly number[]
  /** Whether it is already on the cluster. */
  readonly isInstalled?: (index: number) => boolean
}

const RELEASES = 5000
const REQUIREMENTS_EACH = 4

/** 5,000 releases with 20,000 edges, two thirds of them installed. */
export const LARGE: Shape = {
  releases: RELEASES,
  requiredBy: spread,
  isInstalled: (index) => index % 3 > 0,
}

/** Spread evenly over all earlier ones; the first five have fewer. */
export function spread(index: number): readonly number[] {
  const earlier = Array.from({length: REQUIREMENTS_EACH}, (_, each) =>
    Math.floor((index * (each + 1)) / (REQUIREMENTS_EACH + 1)),
  )
  return [...new Set(earlier)].filter((other) => other < index)
}

/** Prepares the observed state of the releases; the returned function builds their graph and plans them. */
export function planner({releases, requiredBy, isInstalled = () => false}: Shape): () => Plan {
  const wanted = Array.from({length: releases}, (_, index) => releaseId('openstack', `release-${index}`))
  const requirements = new Map(
    wanted.map((release, index) => [release, requiredBy(index).map((other) => requirement(wanted[other]!))]),
  )
  const desired = new Map(
    wanted.map((release) => {
      const requires = requirements.get(release)!.map((each) => releaseName(each.release))
      return [release, desiredOf(releaseName(release), {requires})]
    }),
  )
  const records = [...desired.values()].filter((_, index) => isInstalled(index)).map((each) => recordOf(each))
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

function requirement(release: ReleaseId): Requirement {
  return {
    release,
    kind: 'ready',
    evidence: {source: 'annotation', file: 'Chart.yaml', text: 'kk.openstack.org/requires'},
  }
}
