import {cp, mkdir, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {load} from 'js-yaml'
import {afterAll, beforeAll, describe, expect, inject, it} from 'vitest'
import {GIVEN} from '../own-charts/support/charts.ts'
import {testDirectory} from '../support/test-directory.ts'
import {askApi} from './support/api.ts'
import {kubectl, makeNamespace, uniqueName, waitFor} from './support/cluster.ts'
import {SHORT_LIVED} from './support/kk.ts'
import {plainHelm} from './support/plain-helm.ts'

const CHARTS = join(import.meta.dirname, '../../charts')
const BUDGET = 'nova-instances-are-here-use-kk-node-drain'
const NODES = ['blocked', 'other'].map(uniqueName) as [string, string]
const [node, other] = NODES

interface Pod {
  readonly metadata: {readonly name: string}
  readonly spec: {readonly nodeName?: string}
  readonly status: {readonly conditions?: readonly {readonly type: string; readonly status: string}[]}
}

let namespace: string
let path: string
let end: () => Promise<unknown>

const ask = <T>(place: string) => askApi<T>(inject('run').kubeconfig, {path: place})
const own = (group: string, rest: string) => `/${group}/namespaces/${namespace}/${rest}`

/** The pods that block drains and are ready, by their node. */
async function blockers(): Promise<ReadonlyMap<string, string>> {
  const {items} = await ask<{items: readonly Pod[]}>(
    own('api/v1', 'pods?labelSelector=kk.openstack.org/blocks-drain'),
  )
  const ready = items.filter(({status: {conditions = []}}) =>
    conditions.some(({type, status}) => type === 'Ready' && status === 'True'),
  )
  return new Map(ready.map(({metadata, spec}) => [spec.nodeName ?? '', metadata.name]))
}

async function sql(...statements: readonly string[]) {
  const program = 'import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=30).executescript(sys.argv[2])'
  await execa('python3', ['-c', program, path, `BEGIN;${statements.join(';')};COMMIT;`])
}

const drain = (seconds: number) => {
  const {toolbox, kubeconfig, home} = inject('run')
  const flags = ['--ignore-daemonsets', '--delete-emptydir-data', '--timeout', `${seconds}s`]
  return execa(join(toolbox, 'kubectl'), ['drain', node, ...flags], {
    env: {KUBECONFIG: kubeconfig, HOME: home, ...SHORT_LIVED},
    extendEnv: false,
    reject: false,
    all: true,
  })
}

/** A node of this test alone, on which no other pod may run. */
async function makeNode(name: string) {
  const body = {
    metadata: {name, annotations: {'kwok.x-k8s.io/node': 'fake'}},
    spec: {taints: [{key: 'test', value: 'drain-blocker', effect: 'NoExecute'}]},
    status: {addresses: [{type: 'Hostname', address: 'localhost'}]},
  }
  await askApi(inject('run').kubeconfig, {method: 'POST', path: '/api/v1/nodes', body})
}

/** Starts the program of the chart next to the cluster, with the rights of its pod. */
async function startProgram(): Promise<() => Promise<unknown>> {
  const directory = testDirectory()
  const account = join(directory, 'account')
  await mkdir(account)
  const {clusters} = load(await readFile(inject('run').kubeconfig, 'utf8')) as {
    clusters: readonly [{cluster: Readonly<Record<string, string>>}]
  }
  const [{cluster}] = clusters
  const data = cluster['certificate-authority-data']
  const authority = data ? Buffer.from(data, 'base64') : await readFile(cluster['certificate-authority']!)
  const {status} = await askApi<{status: {token: string}}>(inject('run').kubeconfig, {
    method: 'POST',
    path: own('api/v1', 'serviceaccounts/nova-drain-blocker/token'),
    body: {},
  })
  await writeFile(join(account, 'ca.crt'), authority)
  await writeFile(join(account, 'token'), status.token)
  const {data: scripts} = await ask<{data: Readonly<Record<string, string>>}>(
    own('api/v1', 'configmaps/nova-bin'),
  )
  for (const [name, text] of Object.entries(scripts)) {
    const here = text.replace('/var/run/secrets/kubernetes.io/serviceaccount', account)
    await writeFile(join(directory, name), here.replace('PERIOD_SECONDS = 60, 15', 'PERIOD_SECONDS = 60, 1'))
  }
  const {hostname, port} = new URL(cluster['server']!)
  const url = `sqlite://${path}`
  const program = execa('python3', [join(directory, 'nova-drain-blocker.py')], {
    env: {
      ...{PATH: process.env['PATH'], HOME: directory, POD_NAMESPACE: namespace},
      ...{KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port},
      ...{OS_DATABASE__CONNECTION: url, OS_API_DATABASE__CONNECTION: url, IMAGE: 'nova-compute:1'},
    },
    extendEnv: false,
    reject: false,
  })
  return async () => {
    program.kill('SIGTERM')
    expect(await program).toMatchObject({exitCode: 0, stderr: ''})
  }
}

beforeAll(async () => {
  namespace = await makeNamespace('nova')
  path = join(testDirectory(), 'nova')
  await sql(
    'CREATE TABLE instances (host, deleted, power_state, vm_state)',
    'CREATE TABLE cell_mappings (database_connection)',
    "INSERT INTO cell_mappings VALUES ('{scheme}:///{path}')",
    ...NODES.map((name) => `INSERT INTO instances VALUES ('${name}', 0, 1, 'active')`),
  )
  await Promise.all(NODES.map(makeNode))
  const chart = join(testDirectory(), 'nova')
  await cp(join(CHARTS, 'nova'), chart, {recursive: true})
  await cp(join(CHARTS, 'common'), join(chart, 'charts/common'), {recursive: true})
  const words = ['install', 'nova', chart, '--namespace', namespace, '--no-hooks', '--values', '-']
  const values = {global: GIVEN, kk: {components: ['common', 'drain-blocker']}}
  const {exitCode, stderr} = await plainHelm(words, {input: JSON.stringify(values)})
  expect(exitCode, stderr).toBe(0)
  await waitFor(
    async () => (await ask<{items: object[]}>(own('apis/apps/v1', 'replicasets'))).items.length > 0,
    {until: 'the Deployment has a ReplicaSet'},
  )
  end = await startProgram()
  await waitFor(async () => (await blockers()).size === 2, {until: 'both nodes are blocked'})
})

afterAll(async () => {
  await kubectl(['delete', 'node', ...NODES])
})

describe('a node on which instances run', () => {
  it('refuses the eviction of the pod that stands for them, with the name of the budget', async () => {
    const pods = await blockers()
    await waitFor(
      async () => {
        const {status} = await ask<{status: {expectedPods: number; currentHealthy: number}}>(
          own('apis/policy/v1', `poddisruptionbudgets/${BUDGET}`),
        )
        return status.expectedPods === 2 && status.currentHealthy === 2
      },
      {until: 'the budget counts the pods of both ReplicaSets'},
    )

    const refusals = await Promise.all(
      [...pods.values()].map((name) =>
        askApi(inject('run').kubeconfig, {
          method: 'POST',
          path: own('api/v1', `pods/${name}/eviction`),
          body: {apiVersion: 'policy/v1', kind: 'Eviction', metadata: {name, namespace}},
        }).then(
          () => 'evicted',
          (error: Error) => error.message,
        ),
      ),
    )

    expect([...pods.keys()].sort()).toEqual([...NODES].sort())
    for (const refusal of refusals) {
      expect(refusal).toContain(' 429 ')
      expect(refusal).toContain(`The disruption budget ${BUDGET} needs 2 healthy pods and has 2 currently`)
    }
  })

  it('holds kubectl drain, which prints what to do, until the last one has left', async () => {
    const held = await drain(2)
    const pods = await blockers()
    const draining = drain(60)
    await sql(`UPDATE instances SET host = '${other}'`)
    const drained = await draining

    expect(held.exitCode).toBe(1)
    expect(held.all).toContain(
      `error when evicting pods/"${pods.get(node)}" -n "${namespace}" (will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget.`,
    )
    expect(pods.get(node)).toMatch(/^nova-use-kk-node-drain-blocked-/)
    expect(drained.exitCode, drained.all).toBe(0)
    expect([...(await blockers()).keys()]).toEqual([other])
  })

  it('is released when the release is uninstalled', async () => {
    await end()

    await plainHelm(['uninstall', 'nova', '--namespace', namespace, '--no-hooks'])

    await waitFor(async () => (await blockers()).size === 0, {
      until: 'the garbage collector deletes the rest',
    })
  })
})
