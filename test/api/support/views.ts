import type {EnvironmentViews} from '../../../src/api/pages/views.ts'
import type {Graph} from '../../../src/graph/graph.ts'
import type {RunEntry} from '../../../src/kubernetes/records/run-entry.ts'
import type {Plan} from '../../../src/plan/plan.ts'
import type {ReleaseStatus} from '../../../src/verbs/observation/release-status.ts'

/** What a browser would run if a page did not escape it. */
export const HOSTILE = '<script>alert(1)</script>'

const GRAPH: Graph = {
  releases: ['openstack/mariadb', 'openstack/keystone'],
  requirements: new Map([
    ['openstack/mariadb', []],
    [
      'openstack/keystone',
      [{from: 'openstack/keystone', to: 'openstack/mariadb', kind: 'ready', evidence: []}],
    ],
  ]),
}

export function row(release: ReleaseStatus['release'], more: Partial<ReleaseStatus> = {}): ReleaseStatus {
  return {
    release,
    chart: release.split('/')[1]!,
    version: '1.0.0',
    revision: 1,
    status: 'deployed',
    inputs: 'current',
    wanted: true,
    health: {state: 'healthy'},
    gate: 'passed',
    owner: 'cloud',
    requires: [],
    dependents: [],
    ...more,
  }
}

export const RUN: RunEntry = {
  id: '20261121-083000-3f9a',
  environment: 'cloud',
  file: 'cloud.yaml',
  verb: 'deploy',
  scope: {names: [], install: true},
  who: `ada${HOSTILE}@desk`,
  process: {host: 'desk', pid: 1},
  message: `why ${HOSTILE}`,
  startedAt: '2026-11-21T08:30:00Z',
  outcome: 'running',
  state: 'running',
  releases: [
    {
      release: 'openstack/mariadb',
      kind: 'install',
      before: 0,
      gatedBefore: 0,
      after: 1,
      inputs: 'a',
      outcome: 'succeeded',
    },
    {
      release: 'openstack/keystone',
      kind: 'install',
      before: 0,
      gatedBefore: 0,
      inputs: 'b',
      outcome: 'running',
    },
  ],
}

/** The addresses of the pages about an environment. */
export const ENVIRONMENT_PAGES = [
  '/',
  '/plan',
  '/drift',
  '/history',
  `/runs/${RUN.id}`,
  '/releases/openstack/keystone',
  '/fleet',
] as const

const PLAN: Plan = {
  environment: 'cloud',
  file: 'cloud.yaml',
  cluster: {context: 'production', server: 'https://127.0.0.1:6443', uid: 'u', version: 'v1.33.0'},
  actions: [],
  bystanders: [
    {release: 'openstack/old', state: 'no-longer-wanted', owner: 'cloud', note: `left ${HOSTILE}`},
  ],
  notes: [`a note ${HOSTILE}`],
}

/**
 * Views of an environment with two releases, one of which waits, and with hostile texts wherever they may be.
 */
export function testViews(more: Partial<EnvironmentViews> = {}): EnvironmentViews {
  const releases = [
    row('openstack/mariadb'),
    row('openstack/keystone', {
      health: {
        state: 'waiting',
        blames: [{object: 'Deployment/keystone-api', message: `0 of 1 replicas ${HOSTILE}`, log: [HOSTILE]}],
      },
    }),
  ]
  const report = {environment: 'cloud', releases, notes: [`note ${HOSTILE}`]}
  return {
    name: 'cloud',
    file: 'cloud.yaml',
    graph: async () => ({environment: 'cloud', graph: GRAPH, protected: new Set()}),
    status: async () => ({context: 'production', at: new Date('2026-11-21T08:30:05Z'), report}),
    plan: async () => ({plan: PLAN, checks: {notes: [`checked ${HOSTILE}`]}}),
    drift: async () => ({
      drifts: [
        {
          release: 'openstack/keystone',
          revision: 1,
          status: 'deployed',
          objects: [
            {
              kind: 'ConfigMap',
              name: 'keystone-etc',
              namespace: 'openstack',
              state: 'changed',
              fields: [{path: 'data.a', live: HOSTILE, manifest: 'b'}],
            },
          ],
          crds: [],
          leftovers: [],
        },
      ],
      notes: [],
    }),
    runs: async () => [RUN],
    run: async () => ({record: RUN, events: undefined}),
    revisions: async (release) => ({release, owner: 'cloud', revisions: []}),
    values: async (release) => ({
      release,
      notes: [],
      keys: [
        {
          path: ['conf', HOSTILE],
          value: HOSTILE,
          winner: {layer: 'section', source: 'cloud.yaml', value: HOSTILE},
          lost: [],
        },
      ],
    }),
    fleet: async ({bad}) => ({
      context: 'production',
      notes: [bad(`no process leads: ${HOSTILE}`)],
      table: {heads: ['environment'], rows: [[HOSTILE]]},
    }),
    ...more,
  }
}
