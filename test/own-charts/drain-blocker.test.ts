import {mkdir, readdir, rename, stat, writeFile} from 'node:fs/promises'
import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {join} from 'node:path'
import {execa} from 'execa'
import {describe, expect, it, onTestFinished} from 'vitest'
import {waitFor} from '../e2e/support/cluster.ts'
import {testDirectory} from '../support/test-directory.ts'
import {useCharts} from './support/charts.ts'
import {find, type KubernetesObject, ofKind, variable} from './support/objects.ts'

const charts = await useCharts()
const nova = await charts.render('nova')

const programOf = (objects: readonly KubernetesObject[]) =>
  find(objects, 'Deployment', 'nova-drain-blocker').spec!.template!.spec.containers[0]!
const budgetsOf = (objects: readonly KubernetesObject[]) => ofKind(objects, 'PodDisruptionBudget')
const deploymentsOf = (objects: readonly KubernetesObject[]) =>
  ofKind(objects, 'Deployment').map(({metadata}) => metadata.name)

describe('the chart of nova', () => {
  it('has one budget for the pods of all nodes, whose name says what to do', () => {
    expect(budgetsOf(nova)).toMatchObject([
      {
        metadata: {
          name: 'nova-instances-are-here-use-kk-node-drain',
          labels: {'app.kubernetes.io/component': 'drain-blocker'},
        },
        spec: {
          maxUnavailable: 0,
          selector: {matchLabels: {...LABELS}},
        },
      },
    ])
  })

  it('may only list, create and delete ReplicaSets of its namespace', () => {
    expect(find(nova, 'Role', 'nova-drain-blocker').rules).toEqual([
      {
        apiGroups: ['apps'],
        resources: ['replicasets'],
        resourceNames: [],
        verbs: ['create', 'delete', 'list'],
      },
    ])
    expect(ofKind(nova, 'ClusterRole').map(({metadata}) => metadata.name)).toEqual([
      'openstack-nova-discover-hosts',
      'openstack-nova-unpin',
    ])
  })

  it('restarts its program if the loop hangs, and not because a database is down', () => {
    const container = programOf(nova)

    expect(find(nova, 'Deployment', 'nova-drain-blocker').spec!.replicas).toBe(1)
    expect(container).toMatchObject({
      command: ['python3', '/scripts/nova-drain-blocker.py'],
      livenessProbe: {exec: {command: ['bash', '/scripts/heartbeat.sh', '60']}},
      readinessProbe: {exec: {command: ['test', '/tmp/up-to-date', '-nt', '/proc/self']}},
    })
    const secrets = container.env!.flatMap(({name, valueFrom}) => (valueFrom?.secretKeyRef ? [name] : []))
    expect(secrets).toEqual(['OS_API_DATABASE__CONNECTION', 'OS_DATABASE__CONNECTION'])
  })

  it('has the image of nova-compute for the pods on nodes, also if that has its own tag', async () => {
    const tagged = await charts.render('nova', {values: {images: {tags: {compute: 'registry/compute:7'}}}})
    const image = (objects: readonly KubernetesObject[]) => variable(programOf(objects), 'IMAGE')

    expect(image(nova)).toBe(
      find(nova, 'DaemonSet', 'nova-compute').spec!.template!.spec.containers[0]!.image,
    )
    expect(image(tagged)).toBe('registry/compute:7')
  })

  it('blocks no drain with manifests.deployment_drain_blocker: false', async () => {
    const without = await charts.render('nova', {values: {manifests: {deployment_drain_blocker: false}}})

    expect(deploymentsOf(nova)).toContain('nova-drain-blocker')
    expect(deploymentsOf(without)).not.toContain('nova-drain-blocker')
    expect(budgetsOf(without)).toEqual([])
  })
})

const LABELS = {
  'app.kubernetes.io/name': 'nova',
  'app.kubernetes.io/instance': 'nova',
  'app.kubernetes.io/component': 'node-in-use',
}
const PATH = '/apis/apps/v1/namespaces/openstack/replicasets'
const OWNER = {apiVersion: 'apps/v1', kind: 'Deployment', name: 'nova-drain-blocker', uid: 'd'}

interface ReplicaSet {
  readonly metadata: {
    readonly name: string
    readonly labels: Readonly<Record<string, string>>
    readonly ownerReferences?: readonly object[]
  }
  readonly spec?: object
}

/** The ReplicaSet of the Deployment itself. */
const OWN: ReplicaSet = {
  metadata: {
    name: 'nova-drain-blocker-6d5c7f8b9',
    labels: {...LABELS, 'app.kubernetes.io/component': 'drain-blocker'},
    ownerReferences: [{...OWNER, controller: true, blockOwnerDeletion: true}],
  },
}

/** The API of Kubernetes for ReplicaSets. `refusals` are statuses of the next requests of a method. */
async function fakeApi() {
  const there = new Map<string, ReplicaSet>([[OWN.metadata.name, OWN]])
  const refusals: Partial<Record<string, number[]>> = {}
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    const {method = '', url = ''} = request
    const {pathname, searchParams} = new URL(url, 'http://kubernetes')
    const chunks = await request.toArray()
    const answer = (code: number, body: object) => void response.writeHead(code).end(JSON.stringify(body))
    const name = pathname.slice(PATH.length + 1)
    asked.push(`${method} ${name}`.trim())
    const refusal = refusals[method]?.shift()
    if (refusal !== undefined) return answer(refusal, {message: `${method} is refused`})
    if (method === 'GET') {
      expect(searchParams.get('labelSelector')).toBe(
        'app.kubernetes.io/instance=nova,app.kubernetes.io/component in (drain-blocker, node-in-use)',
      )
      return answer(200, {items: [...there.values()]})
    }
    if (method === 'DELETE') return answer(there.delete(name) ? 200 : 404, {})
    const created = JSON.parse(Buffer.concat(chunks).toString()) as ReplicaSet
    if (there.has(created.metadata.name)) return answer(409, {message: 'already exists'})
    there.set(created.metadata.name, created)
    return answer(201, created)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const {port} = server.address() as AddressInfo
  const names = () => [...there.keys()].filter((name) => name !== OWN.metadata.name).sort()
  return {there, refusals, asked, names, port}
}

/** A cell with instances, and the database of the API, which is that of the main cell, too. */
const CELL = [
  'CREATE TABLE instances (host, deleted, power_state, vm_state)',
  'CREATE TABLE cell_mappings (name, disabled, database_connection)',
]
const instance = (host: string, {power = 1, state = 'active', deleted = 0} = {}) =>
  `INSERT INTO instances VALUES (${host === '' ? 'NULL' : `'${host}'`}, ${deleted}, ${power}, '${state}')`
const mapping = (name: string, url: string, disabled = 0) =>
  `INSERT INTO cell_mappings VALUES ('${name}', ${disabled}, '${url}')`
const MAIN = mapping('cell1', '{scheme}:///{path}')

async function database(...statements: readonly string[]) {
  const path = join(testDirectory(), 'nova')
  const change = async (...changes: readonly string[]) => {
    const program =
      'import sqlite3, sys; c = sqlite3.connect(sys.argv[1], timeout=30); c.executescript(sys.argv[2])'
    await execa('python3', ['-c', program, path, `BEGIN;${changes.join(';')};COMMIT;`])
  }
  await change(...CELL, ...statements)
  return {path, url: `sqlite://${path}`, change}
}

type Api = Awaited<ReturnType<typeof fakeApi>>

/** Runs the program of the chart, with rounds that follow each other at once. */
async function run(api: Api, url: string, objects = nova) {
  const directory = testDirectory()
  const account = join(directory, 'account')
  await mkdir(account)
  await writeFile(join(account, 'token'), 'token')
  for (const [name, text] of Object.entries(find(objects, 'ConfigMap', 'nova-bin').data!)) {
    const here = text
      .replace('/var/run/secrets/kubernetes.io/serviceaccount', account)
      .replace('"https://%s:%s%s"', '"http://%s:%s%s"')
      .replace('ssl.create_default_context(cafile=ACCOUNT + "/ca.crt")', 'None')
      .replace('PERIOD_SECONDS = 60, 15', 'PERIOD_SECONDS = 60, 0.05')
    await writeFile(join(directory, name), here)
  }
  const child = execa('python3', [join(directory, 'nova-drain-blocker.py')], {
    env: {
      ...{PATH: process.env['PATH'], HOME: directory, POD_NAMESPACE: 'openstack'},
      ...{KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(api.port)},
      ...{OS_DATABASE__CONNECTION: url, OS_API_DATABASE__CONNECTION: url},
      IMAGE: variable(programOf(objects), 'IMAGE'),
    },
    extendEnv: false,
    reject: false,
    all: true,
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let printed = ''
  child.all.on('data', (text: Buffer) => {
    printed += text.toString()
  })
  const until = (title: string, condition: () => boolean | Promise<boolean>) =>
    waitFor(async () => (await condition()) || undefined, {until: `${title}, while it prints: ${printed}`})
  /** Resolves after two whole rounds. */
  const rounds = async () => {
    const from = api.asked.length
    const lists = () => api.asked.slice(from).filter((each) => each === 'GET').length
    await until('two rounds', () => lists() > 2)
  }
  return {
    child,
    directory,
    until,
    rounds,
    prints: (text: string) => until(text, () => printed.includes(text)),
  }
}

describe('the program', () => {
  it('blocks each node on which instances run, of any cell, with a pod that only that node can run', async () => {
    const other = await database(instance('cmp3', {power: 3}), instance('', {state: 'error', power: 0}))
    const {url} = await database(
      ...[MAIN, mapping('cell2', other.url, 1)],
      ...[instance('cmp1'), instance('cmp1'), instance('cmp2', {power: 0, state: 'building'})],
      ...[instance('cmp4', {power: 4, state: 'stopped'}), instance('cmp5', {deleted: 7})],
    )
    const api = await fakeApi()

    const {prints} = await run(api, url)

    await prints('cmp3 is blocked: instances run there: 1')
    expect(api.names()).toEqual(['cmp1', 'cmp2', 'cmp3'].map((node) => `nova-use-kk-node-drain-${node}`))
    const labels = {...LABELS, 'kk.openstack.org/blocks-drain': 'nova-use-kk-node-drain-cmp1'}
    const node = {matchFields: [{key: 'metadata.name', operator: 'In', values: ['cmp1']}]}
    expect(api.there.get('nova-use-kk-node-drain-cmp1')).toMatchObject({
      metadata: {labels, ownerReferences: [OWNER]},
      spec: {
        replicas: 1,
        selector: {matchLabels: labels},
        template: {
          metadata: {labels},
          spec: {
            automountServiceAccountToken: false,
            terminationGracePeriodSeconds: 0,
            tolerations: [{operator: 'Exists'}],
            affinity: {
              nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [node]}},
            },
            containers: [
              {
                image: variable(programOf(nova), 'IMAGE'),
                command: ['sleep', 'infinity'],
                securityContext: {
                  ...{allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, runAsNonRoot: true},
                  capabilities: {drop: ['ALL']},
                },
              },
            ],
          },
        },
      },
    })
  })

  it('pulls the image as the other pods do', async () => {
    const images = {pull_secrets: ['registry'], pull_policy: 'Always'}
    const {url} = await database(MAIN, instance('cmp1'))
    const api = await fakeApi()

    const {until} = await run(api, url, await charts.render('nova', {values: {images}}))

    await until('cmp1 is blocked', () => api.names().length > 0)
    expect(api.there.get('nova-use-kk-node-drain-cmp1')).toMatchObject({
      spec: {
        template: {
          spec: {imagePullSecrets: [{name: 'registry'}], containers: [{imagePullPolicy: 'Always'}]},
        },
      },
    })
  })

  it('leaves the pod alone until no instance runs on its node, and then deletes it', async () => {
    const {url, change} = await database(MAIN, instance('cmp1'), instance('cmp2'))
    const api = await fakeApi()
    const {until, rounds} = await run(api, url)
    await until('both are blocked', () => api.names().length === 2)

    await rounds()
    const before = api.asked.filter((each) => each !== 'GET')
    await change("UPDATE instances SET host = 'cmp2' WHERE host = 'cmp1'")
    await until('cmp1 is released', () => api.names().length === 1)

    expect(before).toEqual(['POST', 'POST'])
    expect(api.names()).toEqual(['nova-use-kk-node-drain-cmp2'])
  })

  it('releases no node while a cell cannot be read, blocks those that it knows of, and is not ready', async () => {
    const other = await database(instance('cmp2'))
    const {url, change} = await database(MAIN, mapping('cell2', other.url), instance('cmp1'))
    const api = await fakeApi()
    const {until, prints, rounds, directory} = await run(api, url)
    await until('both are blocked', () => api.names().length === 2)
    const mark = async () => (await stat(join(directory, 'up-to-date'))).mtimeMs
    await until('it is ready', async () => (await readdir(directory)).includes('up-to-date'))

    await rename(other.path, `${other.path}-away`)
    await prints('a cell cannot be read: no such table: instances')
    const last = await mark()
    await change("UPDATE instances SET host = 'cmp3'")
    await until('cmp3 is blocked', () => api.names().length === 3)
    await rounds()

    expect(await mark()).toBe(last)
    expect(api.asked.filter((each) => each.startsWith('DELETE'))).toEqual([])
    await rename(`${other.path}-away`, other.path)
    await prints('all cells and Kubernetes answer again')
    await until('cmp1 is released', () => api.names().length === 2)
    expect(api.names()).toEqual(['cmp2', 'cmp3'].map((node) => `nova-use-kk-node-drain-${node}`))
  })

  it('releases no node if nova has no cells', async () => {
    const {url, change} = await database(MAIN, instance('cmp1'))
    const api = await fakeApi()
    const {until, prints} = await run(api, url)
    await until('cmp1 is blocked', () => api.names().length === 1)

    await change('DELETE FROM cell_mappings', 'DELETE FROM instances')
    await prints('nova has no cells')

    expect(api.names()).toHaveLength(1)
  })

  it('repeats what the API refuses, does the rest first, and reports the reason', async () => {
    const {url} = await database(MAIN, instance('cmp1'), instance('cmp2'))
    const api = await fakeApi()
    api.refusals['GET'] = [500]
    api.refusals['POST'] = [403]

    const {prints, until, directory} = await run(api, url)

    await prints('GET is refused')
    await prints(`POST ${PATH}: POST is refused`)
    await until('both are blocked', () => api.names().length === 2)
    await until('it is ready', async () => (await readdir(directory)).includes('up-to-date'))
  })

  it('accepts that another process was first', async () => {
    const {url, change} = await database(MAIN, instance('cmp1'))
    const api = await fakeApi()
    api.refusals['POST'] = [409]
    api.refusals['DELETE'] = [404]

    const {until, directory} = await run(api, url)
    await until('it is ready', async () => (await readdir(directory)).includes('up-to-date'))
    await until('cmp1 is blocked', () => api.names().length === 1)
    await change('DELETE FROM instances')
    await until('cmp1 is released', () => api.names().length === 0)
  })

  it('has names of 57 characters at most for long names of nodes, and ignores hosts that are no nodes', async () => {
    const nodes = ['a', 'b'].map((end) => `ip-10-0-1-12.eu-central-1.compute.internal.example.${end}`)
    const {url} = await database(MAIN, ...[...nodes, 'Rack_1'].map((node) => instance(node)))
    const api = await fakeApi()

    const {prints} = await run(api, url)

    await prints(`${nodes[1]} is blocked`)
    const names = api.names()
    expect(names).toHaveLength(2)
    for (const name of names)
      expect(name).toMatch(/^nova-use-kk-node-drain-ip-10-0-1-12\.eu-cen.*-[0-9a-f]{8}$/)
    expect(Math.max(...names.map(({length}) => length))).toBeLessThanOrEqual(57)
  })

  it('leaves heartbeats, and ends when its pod does', async () => {
    const {url} = await database(MAIN)
    const {child, directory, rounds} = await run(await fakeApi(), url)
    await rounds()

    const files = await readdir(directory)
    child.kill('SIGTERM')

    expect(files).toContain(`heartbeat.${child.pid}`)
    expect((await child).exitCode).toBe(0)
  })
})
