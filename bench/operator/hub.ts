import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {setTimeout as wait} from 'node:timers/promises'
import {execa} from 'execa'
import {load} from 'js-yaml'
import type {Sandbox} from '../../src/sandbox/sandbox.ts'
import {whileListening} from '../measure/listening.ts'
import type {Bench} from '../result.ts'

/** A throwaway cluster with the operator's CRDs, roles and account. */
export interface Hub {
  kubectl(...words: readonly string[]): Promise<string>
  /** The credentials of the operator's account. */
  readonly kubeconfig: Kubeconfig
  /** Writes Environments with their files, by name. */
  apply(environments: Readonly<Record<string, object>>, spec?: object): Promise<void>
  /** The same for releases in the clusters of these kubeconfigs, by the name of the Environment. */
  applyFor(kubeconfigs: Readonly<Record<string, object>>, fileOf: (name: string) => object): Promise<void>
  /** Resolves when these Environments have a condition: `Ready=True`. */
  reach(condition: string, names: readonly string[]): Promise<void>
  /** Does some work while a process of the operator runs. */
  whileOperated<T>(words: readonly string[], work: (operator: Operator) => Promise<T>): Promise<T>
  /** The number of writes of the operator's account since then, except Leases and Events. */
  writesSince(milliseconds: number): Promise<number>
}

export interface Operator {
  readonly pid: number
  /** The sum of the values of a metric, whatever its labels. */
  metric(name: string): Promise<number>
  /** Resolves when it reconciles no Environment. */
  idle(): Promise<void>
}

export interface Kubeconfig extends Readonly<Record<string, unknown>> {
  readonly clusters: readonly {readonly name: string; readonly cluster: object}[]
}

interface HubOptions {
  readonly bench: Bench
  readonly env: NodeJS.ProcessEnv
  readonly sandbox: Sandbox
  /** The namespaces in which it may deploy. */
  readonly namespaces: readonly string[]
}

const ACCOUNT = 'kk-operator'
/** Timeout for an Environment to reach the expected state. */
const LONGEST = '2h'

export async function openHub({bench, env, sandbox, namespaces}: HubOptions): Promise<Hub> {
  const {kk, toolbox, directory, signal} = bench
  const {kubeconfig, auditLog} = sandbox
  const run = async (program: string, words: readonly string[], input = '') =>
    (await execa(program, words, {env: {...env, KUBECONFIG: kubeconfig}, input, cancelSignal: signal})).stdout
  const kubectl = (...words: readonly string[]) => run(join(toolbox, 'kubectl'), words)
  const named = namespaces.flatMap((name) => ['--namespace', name])
  await run(kk, ['operator', 'install', '--image', 'registry.example.org/kk:1', ...named, '--yes'])
  const own = join(directory, 'operator-kubeconfig')
  const token = await kubectl('create', 'token', ACCOUNT, '--namespace', 'kk-system', '--duration', '24h')
  const account = withToken(await readFile(kubeconfig, 'utf8'), token)
  await writeFile(own, JSON.stringify(account), {mode: 0o600})
  const applyAll = async (items: readonly object[]) => {
    const list = JSON.stringify({apiVersion: 'v1', kind: 'List', items})
    const flags = ['--server-side', '--validate=false', '--filename', '-']
    await run(join(toolbox, 'kubectl'), ['apply', ...flags], list)
  }

  return {
    kubectl,
    kubeconfig: account,
    apply: (environments, spec = {}) =>
      applyAll(Object.entries(environments).flatMap(([name, file]) => objectsOf(name, file, spec))),
    applyFor: (kubeconfigs, fileOf) =>
      applyAll(
        Object.entries(kubeconfigs).flatMap(([name, each]) => [
          secretOf(name, each),
          ...objectsOf(name, fileOf(name), {cluster: {kubeconfigSecret: name}}),
        ]),
      ),
    async reach(condition, names) {
      const objects = names.map((name) => `environment.kk.openstack.org/${name}`)
      const flags = ['--namespace', 'kk-system', `--timeout=${LONGEST}`]
      await kubectl('wait', `--for=condition=${condition}`, ...flags, ...objects)
    },
    whileOperated(words, work) {
      const flags = ['operator', 'run', '--listen', '127.0.0.1:0', '--kubeconfig', own, ...words]
      return whileListening({command: [kk, ...flags], env, signal}, ({url, pid}) =>
        work(operatorAt(url, pid, signal)),
      )
    },
    async writesSince(milliseconds) {
      const lines = (await readFile(auditLog, 'utf8')).split('\n')
      return lines.filter((line) => isWrite(line, milliseconds)).length
    },
  }
}

function withToken(kubeconfig: string, token: string): Kubeconfig {
  const {clusters} = load(kubeconfig) as Pick<Kubeconfig, 'clusters'>
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters,
    users: [{name: ACCOUNT, user: {token}}],
    contexts: [{name: ACCOUNT, context: {cluster: clusters[0]!.name, user: ACCOUNT}}],
    'current-context': ACCOUNT,
  }
}

function secretOf(name: string, kubeconfig: object): object {
  const metadata = {name, namespace: 'kk-system'}
  return {apiVersion: 'v1', kind: 'Secret', metadata, stringData: {kubeconfig: JSON.stringify(kubeconfig)}}
}

function objectsOf(name: string, file: object, spec: object): readonly object[] {
  const metadata = {name, namespace: 'kk-system'}
  const data = {'environment.yaml': JSON.stringify(file)}
  return [
    {apiVersion: 'v1', kind: 'ConfigMap', metadata, data},
    {
      apiVersion: 'kk.openstack.org/v1alpha1',
      kind: 'Environment',
      metadata,
      spec: {source: {configMap: name}, ...spec},
    },
  ]
}

const LOOK_AGAIN = 200

function operatorAt(url: string, pid: number, signal: AbortSignal): Operator {
  const metric = async (name: string) => {
    const text = await (await fetch(`${url}/metrics`, {signal})).text()
    const lines = text
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
  }
  return {
    pid,
    metric,
    async idle() {
      while ((await metric('workqueue_depth')) > 0) await wait(LOOK_AGAIN, undefined, {signal})
    },
  }
}

function isWrite(line: string, since: number): boolean {
  if (!line.includes(`serviceaccount:kk-system:${ACCOUNT}"`)) return false
  if (!/"verb":"(create|update|patch|delete)"/.test(line)) return false
  if (line.includes('"leases"') || line.includes('selfsubjectaccessreviews')) return false
  const at = /"requestReceivedTimestamp":"([^"]+)"/.exec(line)?.[1] ?? ''
  return Date.parse(at) >= since
}
