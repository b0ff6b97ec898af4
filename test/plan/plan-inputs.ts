import type {ReleaseRecord} from '../../src/kubernetes/records/release-record.ts'
import type {PlanInputs} from '../../src/plan/make-plan.ts'
import type {PlanMode} from '../../src/plan/scope.ts'
import {graphOf} from '../graph/graph-of.ts'
import {desiredOf, recordOf, type Wanted} from './fixtures.ts'

const requires: Record<string, readonly string[]> = {
  keystone: ['mariadb'],
  glance: ['keystone', 'mariadb'],
  horizon: ['keystone'],
  mariadb: [],
}

/** The inputs of a plan for a small OpenStack: these four releases, with the given changes. */
export function inputsOf(
  wanted: Readonly<Record<string, Wanted>>,
  records: readonly ReleaseRecord[],
  mode: PlanMode = {kind: 'all'},
): PlanInputs {
  const desired = Object.keys(requires).map((name) =>
    desiredOf(name, {requires: requires[name]!, ...wanted[name]}),
  )
  return {
    environment: 'all-in-one',
    file: 'all-in-one.yaml',
    cluster: {context: 'sandbox', server: 'https://127.0.0.1:6443', uid: 'u', version: 'v1.36.0'},
    graph: graphOf(requires),
    desired: new Map(desired.map((release) => [release.release, release])),
    records,
    mode,
  }
}

/** The records of the four, installed without changes. */
export function allDeployed(): readonly ReleaseRecord[] {
  return Object.keys(requires).map((name) => recordOf(desiredOf(name, {requires: requires[name]!})))
}
