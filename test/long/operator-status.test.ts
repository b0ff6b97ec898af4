import {beforeAll, expect, it} from 'vitest'
import {KkError} from '../../src/base/errors.ts'
import {newApplyCache} from '../../src/operator/apply-cache.ts'
import type {EnvironmentState} from '../../src/operator/condition-inputs.ts'
import {ENVIRONMENTS} from '../../src/operator/crds/environment.ts'
import {RELEASES} from '../../src/operator/crds/release.ts'
import {newStatusWriter} from '../../src/operator/status-writer.ts'
import {NO_RUN} from '../../src/run/run-state.ts'
import type {ReleaseStatus} from '../../src/verbs/observation/release-status.ts'
import {plannedOf} from '../operator/planned-of.ts'
import {planOf} from '../run/plan-of.ts'
import {judge, type Verdict} from './support/judge.ts'

// Number 17 of the proof of the design, for every kind of status; operator-truth.test.ts has those of an
// operator that meets faults.

interface Written {
  readonly kind: string
  readonly metadata: {readonly name: string}
  readonly spec?: object
  readonly status?: object
}

/** The objects as the cluster has them once these phases were told, one after the other. */
async function told(...phases: readonly EnvironmentState[]): Promise<readonly object[]> {
  const objects = new Map<string, {spec?: object; status?: object; metadata: {generation: number}}>()
  const apply = async (_: unknown, written: unknown) => {
    const {kind, metadata, spec, status, ...rest} = written as Written
    const key = `${kind}/${metadata.name}`
    const before = objects.get(key)
    const generation = (before?.metadata.generation ?? 0) + (spec || !before ? 1 : 0)
    const object = {...rest, kind, ...before, ...(spec && {spec}), ...(status && {status})}
    objects.set(key, {...object, metadata: {...metadata, generation}})
    return {metadata: {generation}}
  }
  const environment = {
    metadata: {name: 'production', generation: 1},
    spec: {source: {configMap: 'production'}},
  }
  const teller = newStatusWriter(environment, {
    environments: newApplyCache({apply}, ENVIRONMENTS),
    releases: newApplyCache({apply}, RELEASES),
    events: {record: () => undefined},
    uids: new Map(),
    reachable: () => undefined,
    onError: (error) => {
      throw error
    },
  })
  for (const phase of phases) await teller.write(phase)
  return [...objects.values()]
}

function planned(action: 'install' | 'upgrade' | 'unchanged') {
  return plannedOf(planOf({keystone: []}, {keystone: action}))
}
const status = (health: ReleaseStatus['health']): ReleaseStatus => ({
  ...{
    release: 'openstack/keystone',
    chart: 'keystone',
    version: '1',
    revision: 1,
    status: 'deployed',
    gate: 'passed',
  },
  ...{inputs: 'current', wanted: true, health, owner: 'production', requires: [], dependents: []},
})
const HEALTHY = [status({state: 'healthy'})]
const CLOSED = [status({state: 'waiting', blames: [{object: 'Deployment/keystone-api', message: '0 of 1'}]})]
const error = new KkError('KK_YAML', 'line 1 is no YAML')

const DEPLOYED = {
  kind: 'deployed',
  planned: planned('unchanged'),
  releases: HEALTHY,
  source: 's',
} as const satisfies EnvironmentState
const RUNNING: EnvironmentState = {kind: 'running', planned: planned('upgrade'), run: NO_RUN}

const CASES: readonly (readonly [string, readonly EnvironmentState[], string])[] = [
  ['being deployed', [RUNNING], 'InProgress'],
  ['deployed', [RUNNING, DEPLOYED], 'Current'],
  ['deployed, and paused then', [RUNNING, DEPLOYED, {kind: 'paused'}], 'InProgress'],
  ['deployed, and changed then', [RUNNING, DEPLOYED, RUNNING], 'InProgress'],
  ['deployed, with a closed gate', [{...DEPLOYED, releases: CLOSED}], 'InProgress'],
  [
    'waiting for approval',
    [{kind: 'unapproved', planned: planned('upgrade'), actions: [], releases: HEALTHY}],
    'InProgress',
  ],
  [
    'coming after others',
    [
      {
        kind: 'waiting',
        planned: planned('upgrade'),
        predecessorWait: {message: 'w', until: 1},
        releases: HEALTHY,
      },
    ],
    'InProgress',
  ],
  ['of a cluster that has never answered', [{kind: 'unreachable', error}], 'InProgress'],
  ['of a cluster that does not answer any more', [DEPLOYED, {kind: 'unreachable', error}], 'Current'],
  [
    'failed',
    [{kind: 'held', planned: planned('upgrade'), failure: 'keystone has failed', releases: CLOSED}],
    'Failed',
  ],
  ['without a plan for good', [{kind: 'unplanned', error, isFinal: true}], 'Failed'],
  ['without a plan now', [{kind: 'unplanned', error, isFinal: false}], 'InProgress'],
  [
    'being removed from',
    [{kind: 'removing', planned: planned('unchanged'), releases: HEALTHY, run: NO_RUN}],
    'InProgress',
  ],
  [
    'drifted, with what is no longer wanted',
    [
      {
        ...DEPLOYED,
        unwanted: {digest: 'r', releases: ['openstack/horizon'], kept: []},
        drift: {type: 'Drifted', status: 'True', reason: 'Drifted', message: 'Deployment/keystone-api'},
      },
    ],
    'Current',
  ],
]

let verdicts: readonly (readonly Verdict[])[]
beforeAll(async () => {
  const cases = await Promise.all(CASES.map(([, phases]) => told(...phases)))
  const all = await judge(cases.flat())
  let at = 0
  verdicts = cases.map((objects) => {
    const from = at
    at += objects.length
    return all.slice(from, at)
  })
}, 600_000)

it.each(CASES.map(([name, , kstatus], index) => [name, kstatus, index] as const))(
  'an Environment that is %s is %s, and its conditions contradict nothing',
  (_, kstatus, index) => {
    const [environment] = verdicts[index]!

    expect(environment?.kstatus).toBe(kstatus)
    expect(verdicts[index]!.map(({fail, warn}) => fail + warn)).toEqual(verdicts[index]!.map(() => ''))
  },
)
