import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {load} from 'js-yaml'
import {expect, inject} from 'vitest'
import {askApi, getDirectly, type Question} from './api.ts'
import {uniqueName} from './cluster.ts'
import {makeEnvironment, type TestEnvironment} from './environment.ts'
import {CONTROL_PLANE, kk, SHORT_LIVED} from './kk.ts'

interface Objects {
  readonly items: readonly {
    readonly kind: string
    readonly metadata: {readonly name: string; readonly resourceVersion: string}
  }[]
}

/** A control plane, for tests that say which one they mean. */
export interface TestCluster {
  readonly sandbox: string
  readonly kubeconfig: string
  /** `kk guard <words>`. */
  guard(...words: readonly string[]): ReturnType<typeof kk>
  /** These resolve whatever the exit code is. */
  kubectl(...args: readonly string[]): Promise<Done>
  create(manifest: object | string): Promise<Done>
  /** Asks the API server itself, as kubectl does; rejects when it refuses. */
  ask<T>(question: Question): Promise<T>
  /** What `kubectl get <words> --output json` says of kinds that `getDirectly` knows. */
  get<T>(...words: readonly string[]): Promise<T>
  helm(version: 'helm3' | 'helm4', ...args: readonly string[]): Promise<Done>
  /** `kk guard <words>` as somebody who has these ClusterRoles and no other right. */
  guardAs(role: string, ...words: readonly string[]): Promise<Done>
  /** Everything in a namespace with its version: equal when nothing was changed in between. */
  snapshot(namespace: string): Promise<string>
}

export interface OwnCluster extends TestCluster {
  /** The audit log of its API server. */
  readonly auditLog: string
  end(): Promise<void>
}

export interface Done {
  readonly exitCode?: number | undefined
  readonly stdout: string
  readonly stderr: string
}

/**
 * A control plane of a file's own, for what concerns a whole cluster; the file ends it, for one that nobody
 * uses any more still takes a twentieth of a core from the files to come.
 */
export async function startOwnCluster(): Promise<OwnCluster> {
  const sandbox = uniqueName(inject('run').sandbox)
  const words = ['sandbox', 'up', '--sandbox-name', sandbox, '--nodes', '1', '--output', 'json']
  const up = await kk(words, {env: CONTROL_PLANE})
  expect(up.exitCode, up.stderr).toBe(0)
  const {kubeconfig, auditLog} = JSON.parse(up.stdout) as {kubeconfig: string; auditLog: string}
  const end = async () => void (await kk(['sandbox', 'down', '--sandbox-name', sandbox]))
  return {...clusterOf(sandbox, kubeconfig), auditLog, end}
}

/** The control plane of the run, which other files use at the same time. */
export function clusterOfRun(): TestCluster {
  const {sandbox, kubeconfig} = inject('run')
  return clusterOf(sandbox, kubeconfig)
}

function clusterOf(sandbox: string, kubeconfig: string): TestCluster {
  const {toolbox, home} = inject('run')
  const run = (program: string, args: readonly string[], input = ''): Promise<Done> =>
    execa(join(toolbox, program), args, {
      env: {KUBECONFIG: kubeconfig, HOME: home, ...SHORT_LIVED},
      extendEnv: false,
      reject: false,
      input,
    })
  return {
    sandbox,
    kubeconfig,
    guard: (...words) => kk(['guard', ...words, '--sandbox-name', sandbox]),
    kubectl: (...args) => run('kubectl', args),
    create: (manifest) => {
      const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest)
      return run('kubectl', ['create', '--validate=false', '--filename', '-'], text)
    },
    ask: (question) => askApi(kubeconfig, question),
    get: async <T>(...words: readonly string[]) => (await getDirectly(kubeconfig, words)) as T,
    helm: (version, ...args) => run(version, args),
    async guardAs(role, ...words) {
      const path = join(home, `${sandbox}-${role}.yaml`)
      await writeFile(path, JSON.stringify(await restricted(kubeconfig, role, run)), {mode: 0o600})
      return kk(['guard', ...words, '--kubeconfig', path])
    },
    async snapshot(namespace) {
      const kinds = 'statefulsets,persistentvolumeclaims,services,secrets,configmaps'
      const {items} = (await getDirectly(kubeconfig, [kinds, '--namespace', namespace])) as Objects
      return items
        .map(({kind, metadata: {name, resourceVersion}}) => `${kind}/${name} ${resourceVersion}\n`)
        .join('')
    },
  }
}

type Run = (program: string, args: readonly string[]) => Promise<Done>

/** A kubeconfig for the same cluster with the token of a new service account that has one ClusterRole. */
async function restricted(kubeconfig: string, role: string, run: Run): Promise<object> {
  const {clusters} = load(await readFile(kubeconfig, 'utf8')) as {clusters: readonly {name: string}[]}
  const account = uniqueName(role)
  const of = `--serviceaccount=default:${account}`
  await run('kubectl', ['create', 'serviceaccount', account])
  await run('kubectl', ['create', 'clusterrolebinding', account, `--clusterrole=${role}`, of])
  const token = (await run('kubectl', ['create', 'token', account])).stdout
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters,
    users: [{name: account, user: {token}}],
    contexts: [{name: role, context: {cluster: clusters[0]!.name, user: account}}],
    'current-context': role,
  }
}

const CHARTS = join(import.meta.dirname, '../../fixtures/guarded')
/** The chart of both releases, protected unless the environment says otherwise. */
export const STORE = join(CHARTS, 'store')

/** Deploys `db`, which is protected, and `other`, which is not: both with a StatefulSet and two claims. */
export async function deployStores(
  {sandbox}: TestCluster,
  helm: 'helm3' | 'helm4',
): Promise<TestEnvironment & {readonly stderr: string}> {
  const releases = {db: {chart: 'store'}, other: {chart: 'store', protected: false}}
  const content = {kk: {charts: [CHARTS], releases}, db: {}, other: {}}
  const environment = await makeEnvironment({content, helm})
  const {exitCode, stderr} = await environment.kk('deploy', '--sandbox-name', sandbox)
  expect(exitCode, stderr).toBe(0)
  return {...environment, stderr}
}

export interface GuardStatus {
  readonly installed: boolean
  readonly enforced: boolean
  readonly faults: readonly string[]
  readonly releases: readonly {readonly release: string; readonly guarded: boolean}[]
  readonly approvals: readonly {readonly release: string; readonly state: string}[]
}

export async function guardStatus(cluster: TestCluster): Promise<GuardStatus> {
  return JSON.parse((await cluster.guard('status', '--output', 'json')).stdout) as GuardStatus
}

/** The output of a command that must end well. */
export async function done(command: PromiseLike<Done>): Promise<string> {
  const {exitCode, stdout, stderr} = await command
  expect(exitCode, stderr).toBe(0)
  return stdout
}
