import {expect, it} from 'vitest'
import type {RunEvent} from '../../../src/run/events.ts'
import {jobObjects, type RunJob} from '../../../src/verbs/in-cluster/run-job.ts'

const JOB: RunJob = {
  ...{
    id: '20261121-083000-3f9a',
    environment: 'lab',
    verb: 'deploy',
    namespace: 'jobs',
    releases: ['openstack'],
  },
  makesOfCluster: false,
  image: 'registry.example.org/kk:1',
  files: {'run.json': '{}', 'environment.yaml': 'keystone: {}\n'},
  request: {retryCommand: 'kk deploy lab.yaml', who: 'ann@host'},
}
const STARTED: RunEvent = {
  ...{type: 'run-started', at: 1, run: JOB.id, environment: 'lab', context: 'c', actions: []},
}

it('a run has an account for its namespaces only, and its files are deleted with its Job', () => {
  const {account, job, owned} = jobObjects(JOB, STARTED, 'the-uid')

  const places = account.map(({kind, metadata}) => `${kind} ${metadata.namespace ?? ''}`.trim())
  expect(new Set(places)).toEqual(
    new Set([
      ...['ServiceAccount jobs', 'ClusterRole', 'ClusterRoleBinding'],
      ...['kk-system', 'jobs', 'openstack'].flatMap((place) => [`Role ${place}`, `RoleBinding ${place}`]),
    ]),
  )
  expect(owned.map(({kind}) => kind)).toEqual(['Secret', 'ConfigMap'])
  for (const {metadata} of owned)
    expect(metadata.ownerReferences).toMatchObject([{kind: 'Job', uid: 'the-uid'}])
  expect(owned[0]).toMatchObject({immutable: true})
  expect(job).toMatchObject({spec: {suspend: true, template: {spec: {serviceAccountName: 'kk-run-lab'}}}})
  expect(JSON.stringify(job)).not.toContain('keystone')
})

it('a run may read the facts of the cluster, because no user states them in its pod', () => {
  const {account} = jobObjects(JOB, STARTED)

  const {rules} = account.find(({kind}) => kind === 'ClusterRole') as unknown as {rules: object[]}
  expect(rules).toContainEqual(expect.objectContaining({resources: ['nodes'], verbs: ['list']}))
  expect(rules).toContainEqual(expect.objectContaining({resources: ['storageclasses'], verbs: ['list']}))
})

it('a run that creates cluster-scoped objects has a separate account', () => {
  const all = jobObjects({...JOB, makesOfCluster: true}, STARTED)
  const rolesOf = ({account}: typeof all) => account.filter(({kind}) => kind === 'ClusterRole')

  expect(rolesOf(all).map(({metadata}) => metadata.name)).toEqual([
    'kk-cluster-run-lab',
    'kk-cluster-run-lab-charts',
  ])
  expect(all.job).toMatchObject({spec: {template: {spec: {serviceAccountName: 'kk-cluster-run-lab'}}}})
  expect(JSON.stringify(rolesOf(jobObjects(JOB, STARTED)))).not.toContain('clusterroles')
})

it('a run with more files than fit into a Secret is refused', () => {
  const files = {'overrides.yaml': 'x'.repeat(1_000_001)}

  expect(() => jobObjects({...JOB, files}, STARTED)).toThrow(/have 1000001 bytes, but a Secret holds 1000000/)
})
