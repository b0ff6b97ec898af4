import {mkdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {load} from 'js-yaml'
import {expect, inject} from 'vitest'
import type {EnvironmentObject} from '../../../src/operator/crds/environment.ts'
import {INSTALLATION_LABEL, RUN_LABEL} from '../../../src/plan/labels.ts'
import {killedAt} from '../../support/killed-at.ts'
import {uniqueName, waitFor} from './cluster.ts'
import {FIXTURES} from './environment.ts'
import {done, type OwnCluster, startOwnCluster, type TestCluster} from './guarded.ts'
import {kk, kkEnvironment} from './kk.ts'
import {recordedHelm} from './recorded-helm.ts'

/** A control plane on which the operator is installed, for as many namespaces as a file asks for. */
export interface OperatedCluster extends OwnCluster {
  /**
   * Installs the operator once more for all these environments, with other flags, and resolves with what it
   * has said.
   */
  install(...words: readonly string[]): Promise<string>
  /** Takes the operator away from all of them. */
  uninstall(): Promise<unknown>
  /** `kk operator <words>`. */
  operator(...words: readonly string[]): ReturnType<typeof kk>
  /**
   * Starts an operator that has the rights of the one that was installed, and no other; with other words, a
   * part of it. Those that still run are stopped before the control plane ends.
   */
  start(...words: readonly string[]): Promise<RunningOperator>
  /** The same, but it meets the API server where it is told to, and has these environment variables, too. */
  startAt(place: OperatorPlace, ...words: readonly string[]): Promise<RunningOperator>
  /** Stops all that still run. */
  stopAll(): Promise<unknown>
  /** `kk deploy` or `kk destroy`, as somebody at a command line. */
  byHand(verb: 'deploy' | 'destroy', environment: OperatedEnvironment, text: string): Promise<void>
  /**
   * An environment of a test's own, whose namespace the operator may deploy in: there, or in the cluster of
   * its releases.
   */
  environment(releases?: TestCluster): OperatedEnvironment
}

interface OperatorPlace {
  /** Another kk than the one that was built. */
  readonly program?: string
  /** Where the API server is, or what stands before it. */
  readonly server?: string
  readonly env?: Readonly<Record<string, string>>
  /** Kill it when so many transitions are in the journal of its run. */
  readonly killAt?: number | undefined
}

export interface RunningOperator {
  readonly pid: number
  /** Where it keeps what it has for as long as it runs. */
  readonly temporary: string
  /** The arguments of every helm that it has started. */
  helmCalls(): Promise<readonly string[]>
  /** What they were to change in an environment: `upgrade api`. */
  changes(environment: Pick<OperatedEnvironment, 'name'>): Promise<readonly string[]>
  /** Does nothing to one that has ended. */
  signal(name: NodeJS.Signals): void
  ended(): Promise<{readonly exitCode?: number | undefined; readonly stderr: string}>
  /** Has it end as the kubelet does, which must go well, and resolves with what it has said. */
  stop(): Promise<string>
  kill(): Promise<unknown>
}

/** An Environment, its file and its releases, all below one name. */
export interface OperatedEnvironment {
  readonly name: string
  /** The text of an environment file: `db`, and `api`, which requires it, with these values. */
  text(values?: {readonly api?: object; readonly db?: object}): string
  /** Writes the source and the Environment, by what kubectl would be given. */
  apply(text: string, spec?: object): Promise<void>
  /** Writes the source alone. */
  rewrite(text: string): Promise<unknown>
  read(): Promise<EnvironmentObject>
  /** Resolves with the Environment once it has this condition, for its present generation. */
  has(type: string, status: string, reason?: string): Promise<EnvironmentObject>
  /**
   * Resolves once helm has made this revision, `api 2`, and the Environment is ready with it; if it is not,
   * it says how it is.
   */
  comesTo(revision: string, seconds?: number): Promise<EnvironmentObject>
  /** Resolves once the command line may drive it again. */
  isFree(): Promise<unknown>
  /** Each revision that helm keeps: `api 2`. */
  revisions(): Promise<readonly string[]>
  /**
   * Its first records as helm and kk wrote them: labels and manifests, without what tells one cluster from
   * another.
   */
  deployed(): Promise<object>
  /** The states of helm's last records: `api 2 deployed`. */
  states(): Promise<readonly string[]>
}

/** Starts a control plane and installs the operator for `count` environments, with these flags. */
export async function startOperatedCluster(
  count: number,
  ...flags: readonly string[]
): Promise<OperatedCluster> {
  const cluster = await startOwnCluster()
  const names = Array.from({length: count}, () => uniqueName('env'))
  const operator = (...words: readonly string[]) =>
    kk(['operator', ...words, '--sandbox-name', cluster.sandbox])
  const namespaces = names.flatMap((name) => ['--namespace', name])
  const install = async (...words: readonly string[]) => {
    const image = words.includes('--image') ? [] : ['--image', 'registry.example.org/kk:1']
    const installed = await operator('install', ...image, ...namespaces, '--yes', ...flags, ...words)
    expect(installed.exitCode, installed.stderr).toBe(0)
    return installed.stderr
  }
  await install()
  const free = names.slice()
  const running = new Set<RunningOperator>()
  const startOne = async (words: readonly string[], place?: OperatorPlace) => {
    const started = await start(cluster, words, place)
    running.add(started)
    void started.ended().then(() => running.delete(started))
    return started
  }
  const stopAll = () => Promise.all([...running].map((each) => each.stop()))
  return {
    ...cluster,
    async end() {
      await stopAll().finally(cluster.end)
    },
    install,
    uninstall: () => done(operator('uninstall', '--yes')),
    operator,
    start: (...words) => startOne(words),
    startAt: (place, ...words) => startOne(words, place),
    stopAll,
    async byHand(verb, {name}, text) {
      const file = join(inject('run').home, `${name}.yaml`)
      await writeFile(file, text)
      const confirmed = verb === 'destroy' ? ['--confirm', name] : []
      const {exitCode, stderr} = await kk([verb, file, ...confirmed, '--sandbox-name', cluster.sandbox])
      expect(exitCode, stderr).toBe(0)
    },
    environment: (releases = cluster) => environmentOn({cluster, releases}, free.shift()!),
  }
}

async function start(
  cluster: OwnCluster,
  words: readonly string[],
  {program = inject('run').kk, server, env, killAt}: OperatorPlace = {},
): Promise<RunningOperator> {
  const {home} = inject('run')
  const listen = words.includes('--listen') ? [] : ['--listen', '127.0.0.1:0']
  const account = words.includes('child') ? 'kk-operator-child' : 'kk-operator'
  const directory = join(home, uniqueName('operator'))
  await mkdir(directory, {recursive: true})
  const {path, calls} = await recordedHelm(directory, 'helm4')
  const kubeconfig = join(directory, 'kubeconfig')
  const temporary = join(directory, 'tmp')
  await mkdir(temporary)
  await writeFile(kubeconfig, JSON.stringify(await kubeconfigOf(account, cluster, server)), {mode: 0o600})
  const command = [program, 'operator', 'run', ...listen, '--kubeconfig', kubeconfig, ...words] as const
  const [started, all] = killedAt(killAt, command)
  const child = execa(started, all, {
    env: {
      ...kkEnvironment(),
      ...{KK_HELM: path, XDG_STATE_HOME: join(directory, 'state'), TMPDIR: temporary},
      ...env,
    },
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    // One that is told to end waits for its helms.
    forceKillAfterDelay: false,
  })
  const signal = (name: NodeJS.Signals) => void child.kill(name)
  const ended = async () => {
    const {exitCode, stderr} = await child
    return {exitCode, stderr}
  }
  return {
    pid: child.pid!,
    temporary,
    helmCalls: calls,
    async changes({name}) {
      const all = await calls()
      return all
        .filter((call) => /^(install|upgrade|uninstall|rollback) /.test(call))
        .filter((call) => call.includes(`--namespace ${name}`))
        .map((call) => `${call.split(' ')[0]} ${/ (api|db) /.exec(call)?.[1]}`)
    },
    signal,
    ended,
    async stop() {
      signal('SIGTERM')
      const {exitCode, stderr} = await ended()
      expect(exitCode, stderr).toBe(0)
      return stderr
    },
    kill() {
      signal('SIGKILL')
      return ended()
    },
  }
}

/** A kubeconfig with a new token of an account in `kk-system` of this cluster, which may be met elsewhere. */
export async function kubeconfigOf(name: string, cluster: TestCluster, server?: string): Promise<object> {
  const {clusters: known} = load(await done(cluster.kubectl('config', 'view', '--raw'))) as {
    clusters: readonly {name: string; cluster: object}[]
  }
  const clusters = known.map((each) => (server ? {...each, cluster: {...each.cluster, server}} : each))
  const account = [name, '--namespace', 'kk-system']
  const token = await done(cluster.kubectl('create', 'token', ...account))
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters,
    users: [{name: 'operator', user: {token}}],
    contexts: [{name: 'operator', context: {cluster: clusters[0]!.name, user: 'operator'}}],
    'current-context': 'operator',
  }
}

interface Secrets {
  readonly items: readonly {readonly metadata: {readonly labels: {name: string; version: string}}}[]
}

interface Places {
  readonly cluster: TestCluster
  /** The cluster of the releases. */
  readonly releases: TestCluster
}

function environmentOn({cluster, releases}: Places, name: string): OperatedEnvironment {
  const path = '/apis/kk.openstack.org/v1alpha1/namespaces/kk-system/environments'
  const read = () => cluster.ask<EnvironmentObject>({path: `${path}/${name}`})
  const waitForIt = <T>(condition: () => Promise<T | undefined | false>, until: string, seconds = 300) =>
    waitFor(condition, {until: `${name} ${until}`, seconds}).catch(async (cause: unknown) => {
      const {conditions = []} = (await read()).status ?? {}
      const texts = conditions.map((each) => `${each.type}=${each.status} ${each.reason}: ${each.message}`)
      throw new Error(`${(cause as Error).message}; it has:\n${texts.join('\n')}`, {cause})
    })
  const has = (type: string, status: string, reason?: string) =>
    waitForIt(
      async () => {
        const environment = await read()
        const {metadata, status: {conditions = []} = {}} = environment
        const found = conditions.find((each) => each.type === type)
        const isCurrent = found?.observedGeneration === metadata.generation
        const isMeant = found?.status === status && (reason === undefined || found.reason === reason)
        return isCurrent && isMeant && environment
      },
      `has ${type}=${status} ${reason ?? ''}`,
    )
  const revisions = async () => {
    const words = ['secrets', '--namespace', name, '--selector', 'owner=helm']
    const {items} = await releases.get<Secrets>(...words)
    return items.map(({metadata: {labels}}) => `${labels.name} ${labels.version}`).toSorted()
  }
  return {
    name,
    text: ({api = {}, db = {}} = {}) =>
      JSON.stringify({
        kk: {
          namespace: name,
          charts: [FIXTURES],
          releases: {db: {chart: 'workload'}, api: {chart: 'workload', requires: ['db']}},
        },
        db,
        api,
      }),
    async apply(text, spec = {}) {
      const metadata = {name, namespace: 'kk-system'}
      const items = [
        {apiVersion: 'v1', kind: 'ConfigMap', metadata, data: {'environment.yaml': text}},
        {
          apiVersion: 'kk.openstack.org/v1alpha1',
          kind: 'Environment',
          metadata,
          spec: {source: {configMap: name}, ...spec},
        },
      ]
      const file = join(inject('run').home, `${name}.json`)
      await writeFile(file, JSON.stringify({apiVersion: 'v1', kind: 'List', items}))
      const flags = ['--server-side', '--force-conflicts', '--field-manager', 'people']
      await done(cluster.kubectl('apply', ...flags, '--filename', file))
    },
    read,
    rewrite: (text) =>
      cluster.ask({
        method: 'PATCH',
        path: `/api/v1/namespaces/kk-system/configmaps/${name}?fieldManager=people&force=true`,
        body: {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name}, data: {'environment.yaml': text}},
      }),
    has,
    async comesTo(revision, seconds) {
      await waitForIt(async () => (await revisions()).includes(revision), `has ${revision}`, seconds)
      return has('Ready', 'True')
    },
    isFree() {
      const lease = ['lease', `kk-env-${name}`, '--namespace', 'kk-system']
      return waitFor(
        () =>
          releases.get(...lease).then(
            () => false,
            () => true,
          ),
        {
          until: 'nobody drives it any more',
        },
      )
    },
    revisions,
    async deployed() {
      const found = await Promise.all(
        ['api', 'db'].map(async (release) => {
          const record = ['secret', `sh.helm.release.v1.${release}.v1`, '--namespace', name]
          const text = await done(
            cluster.kubectl('get', ...record, '--output', 'jsonpath={.metadata.labels}'),
          )
          // Who made a revision, and when, is all that may differ.
          const {
            modifiedAt: _,
            [INSTALLATION_LABEL]: installation,
            [RUN_LABEL]: run,
            ...labels
          } = JSON.parse(text) as Record<string, string>
          expect(installation).toBe(run)
          const manifest = await done(cluster.helm('helm4', 'get', 'manifest', release, '--namespace', name))
          return [release, {labels, manifest}] as const
        }),
      )
      return Object.fromEntries(found)
    },
    async states() {
      const listed = await done(cluster.helm('helm4', 'list', '--namespace', name, '--output', 'json'))
      const releases = JSON.parse(listed) as readonly {name: string; revision: string; status: string}[]
      return releases.map((each) => `${each.name} ${each.revision} ${each.status}`).toSorted()
    },
  }
}

/**
 * All that is written in `kk-system`, where no secrets belong, of an environment that fails: its file, its
 * values and its pods have this secret.
 */
export async function toldOfFailure(
  cluster: OperatedCluster,
  environment: OperatedEnvironment,
  secret: string,
): Promise<string> {
  const text = environment.text({
    db: {auth: {password: secret}, leak: true, job: {pod: {fail: 'JobFailed'}}},
    api: {auth: {password: secret}},
  })
  const source = ['secret', 'generic', environment.name, '--namespace', 'kk-system']
  await done(cluster.kubectl('create', ...source, `--from-literal=environment.yaml=${text}`))
  await environment.apply('db: {}', {source: {secret: environment.name}})
  await environment.has('Stalled', 'True', 'Failed')
  const kinds = 'environments,releases,configmaps,leases,events'
  return done(cluster.kubectl('get', kinds, '--namespace', 'kk-system', '--output', 'yaml'))
}

/** What a condition of an Environment says. */
export function messageOf({status}: EnvironmentObject, type: string): string {
  const found = status?.conditions?.find((each) => each.type === type)
  expect(found, `no condition ${type}`).toBeDefined()
  return found!.message
}
