import {join} from 'node:path'
import {beforeAll, describe, expect, inject, it} from 'vitest'
import type {RunEntry} from '../../src/kubernetes/records/run-entry.ts'
import type {ReleaseHistory} from '../../src/verbs/observation/history.ts'
import {atNight} from '../support/night.ts'
import {testDirectory} from '../support/test-directory.ts'
import {askApi} from './support/api.ts'
import {get, kubectl, waitFor} from './support/cluster.ts'
import {makeEnvironment, type TestEnvironment, workloads} from './support/environment.ts'
import {kk} from './support/kk.ts'

const KK_SYSTEM = {apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'kk-system'}}

/** kk on a machine that has neither the file nor any journal. */
async function elsewhere(...args: readonly string[]): Promise<string> {
  const home = testDirectory()
  const env = {HOME: home, XDG_STATE_HOME: join(home, 'state')}
  const {exitCode, stdout, stderr} = await kk(args, {cwd: home, env})
  expect(exitCode, stderr).toBe(0)
  return stdout
}

async function runsElsewhere(owner: string): Promise<readonly RunEntry[]> {
  const text = await elsewhere('history', '--owner', owner, '--output', 'json')
  return (JSON.parse(text) as {runs: readonly RunEntry[]}).runs
}

describe('kk history', () => {
  const SECRET = 'correct-horse-battery'
  const pair = (replicas: number) => {
    const values = {auth: {password: SECRET}, unrenderable: null, replicas}
    return workloads({db: {}, api: {requires: ['db'], values}})
  }
  let environment: TestEnvironment
  let runs: readonly RunEntry[]
  beforeAll(async () => {
    environment = await makeEnvironment({content: pair(1)})
    await environment.kk('deploy', '--message', 'first')
    await environment.deploy()
    await environment.write(pair(2))
    await environment.kk('upgrade', 'api', '--message', 'more api servers')
    runs = await runsElsewhere(environment.name)
  })

  it('shows on any machine the user, action, time, message and revisions of each run, newest first, without empty runs', () => {
    expect(runs.map(({verb, message, outcome, releases}) => ({verb, message, outcome, releases}))).toEqual([
      {
        verb: 'upgrade',
        message: 'more api servers',
        outcome: 'succeeded',
        releases: [
          expect.objectContaining({kind: 'check', before: 1}),
          expect.objectContaining({
            kind: 'upgrade',
            before: 1,
            gatedBefore: 1,
            after: 2,
            outcome: 'succeeded',
          }),
        ],
      },
      {
        verb: 'deploy',
        message: 'first',
        outcome: 'succeeded',
        releases: [
          expect.objectContaining({kind: 'install', before: 0, after: 1}),
          expect.objectContaining({kind: 'install', before: 0, after: 1}),
        ],
      },
    ])
    expect(runs[0]).toMatchObject({
      environment: environment.name,
      who: expect.stringMatching(/^.+@.+$/),
      startedAt: expect.stringMatching(/^2/),
      endedAt: expect.stringMatching(/^2/),
    })
  })

  it('of a release shows which run created which revision', async () => {
    const text = await elsewhere('history', `${environment.name}/api`, '--output', 'json')

    const {revisions} = JSON.parse(text) as ReleaseHistory
    expect(revisions.map(({revision, status, gate, run}) => [revision, status, gate, run])).toEqual([
      [2, 'deployed', 'passed', runs[0]!.id],
      [1, 'superseded', 'passed', runs[1]!.id],
    ])
  })

  it('uses records that are found by labels and contain no secrets', async () => {
    const selector = `kk.openstack.org/environment=${environment.name}`
    const {items} = await get<{items: {metadata: {name: string; labels: Record<string, string>}}[]}>(
      ...['configmaps', '--namespace', 'kk-system', '--selector', selector],
    )

    const names = items.map(({metadata}) => metadata.name)
    expect(names.toSorted()).toEqual(runs.map(({id}) => `kk-run-${id}`).toSorted())
    expect(items.map(({metadata}) => `kk-run-${metadata.labels['kk.openstack.org/run']}`)).toEqual(names)
    expect(JSON.stringify(items)).not.toContain(SECRET)
  })

  atNight(() => {
    it('keeps the newest fifty runs of an environment', async () => {
      const environment = await makeEnvironment({content: workloads({api: {}})})
      const old = Array.from({length: 50}, (_, index) => oldRecord(environment.name, index))
      await kubectl(['apply', '--filename', '-'], {
        input: {
          apiVersion: 'v1',
          kind: 'List',
          items: [KK_SYSTEM, ...old],
        },
      })

      await environment.deploy()

      const runs = await runsElsewhere(environment.name)
      expect(runs).toHaveLength(50)
      expect(runs.at(-1)!.id).toBe(`${environment.name}-01`)
    })
  })

  it('a run whose record cannot be written changes nothing', async () => {
    const environment = await makeEnvironment({content: workloads({api: {}})})
    await denyRecords(environment.name)

    const {exitCode, stderr} = await environment.kk('deploy')

    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/could not write configmaps\/kk-run-\S+ in namespace kk-system/)
    expect(await environment.helmCalls()).not.toContainEqual(expect.stringMatching(/^install/))
  })
})

function oldRecord(environment: string, index: number): object {
  const id = `${environment}-${String(index).padStart(2, '0')}`
  const run = {
    id,
    environment,
    file: 'old.yaml',
    verb: 'deploy',
    scope: {names: [], install: true},
    who: 'operator@host',
    process: {host: 'elsewhere', pid: 1},
    startedAt: `2026-01-01T00:00:${String(index).padStart(2, '0')}.000Z`,
    outcome: 'succeeded',
    releases: [],
  }
  const labels = {'kk.openstack.org/run': id, 'kk.openstack.org/environment': environment}
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {name: `kk-run-${id}`, namespace: 'kk-system', labels},
    data: {form: '1', run: JSON.stringify(run)},
  }
}

/** From now on the API server denies the records of one environment's runs. */
async function denyRecords(environment: string): Promise<void> {
  const apiVersion = 'admissionregistration.k8s.io/v1'
  const name = `deny-records-${environment}`
  const policy = {
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata: {name},
    spec: {
      matchConstraints: {
        objectSelector: {matchLabels: {'kk.openstack.org/environment': environment}},
        resourceRules: [
          {apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps']},
        ],
      },
      validations: [{expression: 'false', message: 'no records here'}],
    },
  }
  const binding = {
    apiVersion,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: {name},
    spec: {policyName: name, validationActions: ['Deny']},
  }
  await kubectl(['apply', '--filename', '-'], {
    input: {apiVersion: 'v1', kind: 'List', items: [KK_SYSTEM, policy, binding]},
  })
  const path = '/api/v1/namespaces/kk-system/configmaps?dryRun=All'
  const isDenied = () =>
    askApi(inject('run').kubeconfig, {method: 'POST', path, body: oldRecord(environment, 0)}).then(
      () => false,
      (error: Error) => error.message.includes('no records here'),
    )
  await waitFor(isDenied, {until: 'records are denied'})
}
