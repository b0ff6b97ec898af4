import {expect, it} from 'vitest'
import type {DryRuns} from '../../../src/kubernetes/dry-run/dry-runs.ts'
import type {HealthChecks} from '../../../src/kubernetes/gate/health-checks.ts'
import type {KubernetesObject} from '../../../src/kubernetes/manifest/kubernetes-object.ts'
import type {LiveObjects} from '../../../src/kubernetes/objects/live-objects.ts'
import type {Records} from '../../../src/kubernetes/records/records.ts'
import type {StoredRelease} from '../../../src/kubernetes/records/release-record.ts'
import {correctDrift, driftedObjects, type ReleaseDrift} from '../../../src/verbs/observation/drift.ts'
import {port} from '../../kubernetes/support/port.ts'

const yaml = (kind: string, {annotations = {}, spec = {}}: {annotations?: object; spec?: object} = {}) =>
  JSON.stringify({apiVersion: 'v1', kind, metadata: {name: 'a', annotations}, spec})
const hook = (kind: string, policy?: string) =>
  yaml(kind, {
    annotations: {
      'helm.sh/hook': 'pre-upgrade',
      ...(policy !== undefined && {'helm.sh/hook-delete-policy': policy}),
    },
  })

const REVISION = {
  release: 'openstack/db',
  revision: 2,
  status: 'deployed',
  labels: {},
  secret: {name: 's', uid: 'u', resourceVersion: '1'},
  values: {},
  hooks: [],
  chart: {name: 'db', version: '1.0.0', appVersion: ''},
  applyMethod: 'ssa',
} as const

/** On a cluster where nothing exists. */
async function goneOf(stored: Pick<StoredRelease, 'manifest' | 'ranHooks'>): Promise<readonly string[]> {
  const cluster = {
    live: port<LiveObjects>({present: async () => []}),
    health: port<HealthChecks>({scaleTargets: async () => []}),
    dryRuns: port<DryRuns>({
      apply: async ({objects}) => objects.map((object) => ({object, state: 'gone', missing: 'object'})),
    }),
  }
  const found = await driftedObjects(cluster, {...REVISION, ...stored})
  return found.map(({kind, state}) => `${kind} ${state}`)
}

it.each([
  ['a Job', yaml('Job'), ['Job gone']],
  ['a Job that Kubernetes deletes', yaml('Job', {spec: {ttlSecondsAfterFinished: 0}}), []],
])('a missing object of the manifest (%s) is drift: %#', async (_, manifest, gone) => {
  expect(await goneOf({manifest})).toEqual(gone)
})

it.each([
  ['a ConfigMap', hook('ConfigMap'), ['ConfigMap gone']],
  ['a ConfigMap that helm deletes', hook('ConfigMap', 'hook-succeeded'), []],
  ['a completed Job', hook('Job'), []],
])('a missing object of hooks that ran (%s) is drift: %#', async (_, ranHook, gone) => {
  expect(await goneOf({manifest: '', ranHooks: [ranHook]})).toEqual(gone)
})

it.each([
  [5, 'stay', undefined],
  [0, 'are restored, because its autoscaler does not change 0', 3],
])('a correction of drift: %i replicas of an autoscaled workload %s', async (replicas, _, written) => {
  const workload = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {name: 'web'},
    spec: {replicas: 3, paused: false},
  }
  const corrected: KubernetesObject[] = []
  const cluster = {
    records: port<Records>({stored: async () => ({...REVISION, manifest: JSON.stringify(workload)})}),
    health: port<HealthChecks>({
      scaleTargets: async () => [{kind: 'Deployment', name: 'web', fromZero: false}],
    }),
    dryRuns: port<DryRuns>({
      apply: async ({objects}) =>
        objects.map((object) => ({
          object,
          state: 'compared',
          live: {...workload, spec: {replicas}},
          applied: object,
          conflicts: [],
        })),
    }),
    live: port<LiveObjects>({correct: async ({objects}) => void corrected.push(...objects)}),
  }
  const {release, revision, status} = REVISION
  const drift: ReleaseDrift = {release, revision, status, objects: [], crds: [], leftovers: []}

  await correctDrift(cluster, drift, {isMeant: () => true, ignore: []})

  expect(corrected).toMatchObject([{spec: {paused: false}}])
  expect((corrected[0]!['spec'] as {replicas?: number}).replicas).toBe(written)
})
