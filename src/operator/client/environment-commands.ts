import {isDeepStrictEqual} from 'node:util'
import {KkError} from '../../base/errors.ts'
import {pollUntil} from '../../base/poll.ts'
import type {ApiServer} from '../../kubernetes/api/api-server.ts'
import {CONFIG_MAPS, type Resource, SECRETS} from '../../kubernetes/api/resources.ts'
import {KK_NAMESPACE} from '../../kubernetes/lease/lease.ts'
import type {Leases} from '../../kubernetes/lease/leases.ts'
import type {Objects} from '../../kubernetes/objects/objects.ts'
import {OPERATOR_LEASE} from '../apply-cache.ts'
import {ENVIRONMENTS, type EnvironmentObject, type EnvironmentSpec, RETRY} from '../crds/environment.ts'
import {expectServed} from '../crds/versions.ts'
import {FILE_KEY, OVERRIDES_KEY, readSource, type SourceText} from '../source.ts'

type OperatorCluster = {readonly objects: Objects; readonly apiServer: ApiServer}

/**
 * Suspends an Environment, and resolves once the operator runs nothing for it. `until` is in milliseconds
 * since the epoch; `say` is called if no process of the operator leads. Throws `KK_NO_OPERATED`, and
 * `KK_HELD` if the Environment is not paused by then.
 */
export async function pauseEnvironment(
  cluster: OperatorCluster & {readonly leases: Leases},
  name: string,
  {until, say}: {readonly until: number; readonly say: (line: string) => void},
): Promise<void> {
  await setSpec(cluster, name, {suspend: true})
  if (!(await hasLeader(cluster.leases)))
    say(`no process of the operator leads now: ${name} is paused once one does`)
  const hasPaused = async () => isPaused(await existingEnvironment(cluster, name))
  if (await pollUntil(hasPaused, {interval: POLL_INTERVAL_MS, deadline: until})) return
  throw new KkError('KK_HELD', `the operator has not paused ${name} yet`, {
    hint: `see what it runs: kk operator status ${name}; it pauses once that has ended`,
  })
}

/** Returns whether the condition `Paused` is true for the current generation. */
export function isPaused({metadata, status}: EnvironmentObject): boolean {
  const paused = status?.conditions?.find(({type}) => type === 'Paused')
  return paused?.status === 'True' && (paused.observedGeneration ?? 0) >= (metadata.generation ?? 0)
}

export const POLL_INTERVAL_MS = 500

/** Returns whether the operator has a leader. */
export async function hasLeader(leases: Leases): Promise<boolean> {
  const {holder, runsOut = 0} = (await leases.read(OPERATOR_LEASE)) ?? {}
  return holder !== undefined && runsOut > leases.now()
}

/** Resumes a suspended Environment. Throws `KK_NO_OPERATED`. */
export function resumeEnvironment(cluster: OperatorCluster, name: string): Promise<void> {
  return setSpec(cluster, name, {suspend: false})
}

/**
 * Approves the plan or the removal with this digest, and returns its actions. Throws `KK_NO_OPERATED`,
 * `KK_PAUSED` for a suspended Environment, and `KK_MOVED` if the digest is not the current one.
 */
export async function approvePlan(
  cluster: OperatorCluster,
  name: string,
  digest: string,
): Promise<readonly string[]> {
  const {status} = await managedEnvironment(cluster, name)
  const {removal} = status ?? {}
  const {digest: current, actions = []} = removal?.releases.length
    ? {digest: removal.digest, actions: removal.releases.map((release) => `remove ${release}`)}
    : (status?.plan ?? {})
  if (current !== digest || actions.length === 0) {
    const waiting = current === undefined || actions.length === 0 ? 'nothing' : `the plan ${current}`
    throw new KkError('KK_MOVED', `${waiting} waits for approval of ${name}, not the plan ${digest}`, {
      hint: `see the current plan: kk operator status ${name}`,
    })
  }
  await setSpec(cluster, name, {approval: {plan: digest}})
  return actions
}

/**
 * Requests another attempt after a failure; `now` identifies the request, and `say` is called with the time
 * of the attempt. Throws `KK_NO_OPERATED`, and `KK_PAUSED`.
 */
export async function retryEnvironment(
  cluster: OperatorCluster & {readonly leases: Leases},
  name: string,
  {now, say}: {readonly now: Date; readonly say: (line: string) => void},
): Promise<void> {
  await managedEnvironment(cluster, name)
  const fields = {metadata: {annotations: {[RETRY]: now.toISOString()}}}
  await cluster.objects.merge(ENVIRONMENTS, {namespace: KK_NAMESPACE, name}, fields)
  if (await hasLeader(cluster.leases)) say(`the operator retries ${name}`)
  else say(`no process of the operator leads now: ${name} is retried once one does`)
}

/**
 * Creates or updates a suspended Environment with these inputs. The file goes into a Secret if `secret`, else
 * into the source of an existing Environment of that name, else into a ConfigMap; other fields of the spec
 * are kept. Throws `KK_NO_OPERATED` if the cluster has no Environment CRD, `KK_KINDS`, and `KK_USAGE` if the
 * file is in a registry. Returns the name of the ConfigMap that the Secret replaces: it still has the file.
 */
export async function adoptEnvironment(
  cluster: OperatorCluster,
  name: string,
  {secret = false, ...source}: SourceText & {readonly secret?: boolean},
): Promise<string | undefined> {
  const {objects} = cluster
  const all = await objects.list<EnvironmentObject>(ENVIRONMENTS, KK_NAMESPACE)
  if (all === undefined) {
    await expectServed(cluster.apiServer)
    throw new KkError('KK_NO_OPERATED', 'the operator is not installed: the cluster has no Environment CRD', {
      hint: 'install it first: kk operator install',
    })
  }
  const earlier = all.find(({metadata}) => metadata.name === name)?.spec.source
  const spec = {source: secret ? {secret: name} : (earlier ?? {configMap: name})}
  if (spec.source.oci !== undefined) throw notWritable(name, spec.source.oci)
  const overrides = overridesField({name, spec}, source)
  // Suspended first, because an operator that already manages it would start to deploy the new inputs.
  if (secret && earlier?.configMap !== undefined) {
    // A field that another field manager owns would remain in addition to the new one.
    const change = {suspend: true, source: {...spec.source, configMap: null}}
    await objects.merge(ENVIRONMENTS, {namespace: KK_NAMESPACE, name}, {spec: change})
  }
  await writeObject(objects, ENVIRONMENTS, name, {spec: {...spec, ...overrides, suspend: true}})
  await writeSource(objects, {name, spec: {...spec, ...overrides}}, source)
  return secret ? earlier?.configMap : undefined
}

/**
 * Writes new inputs of an Environment that the operator manages to its source. If they are unchanged,
 * requests a retry instead; it does not do both, because a second change would interrupt the run that the
 * first has started. `now` identifies the request. Throws `KK_NO_OPERATED`, and `KK_PAUSED` for a suspended
 * Environment.
 */
export async function changeSource(
  cluster: OperatorCluster,
  name: string,
  {source, now}: {readonly source: SourceText; readonly now: Date},
): Promise<void> {
  const {objects} = cluster
  const environment = await managedEnvironment(cluster, name)
  const overrides = overridesField({name, ...environment}, source)
  const spec = {...environment.spec, ...overrides}
  const read = () => readSource({spec}, objects)
  // Missing objects are created.
  const before = await read().catch(() => undefined)
  await writeSource(objects, {name, spec}, source)
  const isSame = isDeepStrictEqual(before, await read())
  const metadata = isSame ? {annotations: {[RETRY]: now.toISOString()}} : {}
  await objects.merge(ENVIRONMENTS, {namespace: KK_NAMESPACE, name}, {metadata, spec: overrides})
}

/** Returns an Environment that the operator manages. Throws `KK_NO_OPERATED`, and `KK_PAUSED`. */
export async function managedEnvironment(cluster: OperatorCluster, name: string): Promise<EnvironmentObject> {
  const environment = await existingEnvironment(cluster, name)
  if (!environment.spec.suspend) return environment
  throw new KkError('KK_PAUSED', `the operator has paused ${name}`, {
    hint: `resume it: kk operator resume ${name}; or change the environment with the command line, without the operator`,
  })
}

interface Sourced {
  readonly name: string
  readonly spec: Pick<EnvironmentSpec, 'source' | 'overrides'>
}

/** Returns `spec.overrides` for these inputs; nothing without overrides. */
function overridesField({name, spec}: Sourced, {overrides}: SourceText): Pick<EnvironmentSpec, 'overrides'> {
  return overrides === undefined ? {} : {overrides: {secret: spec.overrides?.secret ?? `${name}-overrides`}}
}

/** Writes inputs to the objects that an Environment refers to. */
async function writeSource(
  objects: OperatorCluster['objects'],
  {name, spec}: Sourced,
  {file, overrides}: SourceText,
): Promise<void> {
  const {configMap, secret, oci, key = FILE_KEY} = spec.source
  if (oci !== undefined) throw notWritable(name, oci)
  const encoded = (text: string) => Buffer.from(text).toString('base64')
  if (secret !== undefined) await writeObject(objects, SECRETS, secret, {data: {[key]: encoded(file)}})
  else await writeObject(objects, CONFIG_MAPS, configMap ?? name, {data: {[key]: file}})
  if (overrides === undefined) return
  await writeObject(objects, SECRETS, spec.overrides!.secret, {data: {[OVERRIDES_KEY]: encoded(overrides)}})
}

function notWritable(name: string, oci: string): KkError {
  return new KkError(
    'KK_USAGE',
    `the file of the Environment ${name} is the artifact ${oci}, which is read-only`,
    {
      hint: 'push another artifact, and set its digest in spec.source.oci',
    },
  )
}

async function writeObject(
  objects: OperatorCluster['objects'],
  resource: Resource,
  name: string,
  content: object,
): Promise<void> {
  const {apiVersion, kind} = resource
  const metadata = {name, namespace: KK_NAMESPACE}
  await objects.apply(resource, {apiVersion, kind, metadata, ...content}, {manager: MANAGER})
}

/** The field manager of the command line. */
const MANAGER = 'kk'

async function setSpec(cluster: OperatorCluster, name: string, spec: object): Promise<void> {
  await existingEnvironment(cluster, name)
  await cluster.objects.merge(ENVIRONMENTS, {namespace: KK_NAMESPACE, name}, {spec})
}

/** Returns an Environment. Throws `KK_NO_OPERATED`, and `KK_KINDS`. */
export async function existingEnvironment(
  cluster: OperatorCluster,
  name: string,
): Promise<EnvironmentObject> {
  const place = {namespace: KK_NAMESPACE, name}
  const environment = await cluster.objects.read<EnvironmentObject>(ENVIRONMENTS, place)
  if (environment) return environment
  await expectServed(cluster.apiServer)
  throw unknownEnvironment(name)
}

export function unknownEnvironment(name: string): KkError {
  return new KkError('KK_NO_OPERATED', `there is no Environment ${name} in ${KK_NAMESPACE}`, {
    hint: 'list the Environments: kk operator status; or create one: kk operator adopt FILE',
  })
}
