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
 * Asks the operator to change nothing, and resolves once nothing of it runs. `until` is in milliseconds since the epoch; `say` is told
 * when nobody is there to answer.
 * Throws `KK_NO_OPERATED`, and `KK_HELD` if the operator has not answered by then.
 */
export async function pauseEnvironment(
  cluster: OperatorCluster & {readonly leases: Leases},
  name: string,
  {until, say}: {readonly until: number; readonly say: (line: string) => void},
): Promise<void> {
  await setSpec(cluster, name, {suspend: true})
  if (!(await hasLeader(cluster.leases)))
    say(`no process of the operator leads now: ${name} is paused once one does`)
  const isStill = async () => isPaused(await existingEnvironment(cluster, name))
  if (await pollUntil(isStill, {interval: POLL_INTERVAL_MS, deadline: until})) return
  throw new KkError('KK_HELD', `the operator has not said yet that it does nothing to ${name}`, {
    hint: `see what it does: kk operator status ${name}; it pauses once that has ended`,
  })
}

/** Returns whether the operator has said, of what the Environment is now, that it does nothing to it. */
export function isPaused({metadata, status}: EnvironmentObject): boolean {
  const paused = status?.conditions?.find(({type}) => type === 'Paused')
  return paused?.status === 'True' && (paused.observedGeneration ?? 0) >= (metadata.generation ?? 0)
}

/** In milliseconds. */
export const POLL_INTERVAL_MS = 500

/** Returns whether a process of the operator leads. */
export async function hasLeader(leases: Leases): Promise<boolean> {
  const {holder, runsOut = 0} = (await leases.read(OPERATOR_LEASE)) ?? {}
  return holder !== undefined && runsOut > leases.now()
}

/** Lets the operator drive the environment again. Throws `KK_NO_OPERATED`. */
export function resumeEnvironment(cluster: OperatorCluster, name: string): Promise<void> {
  return setSpec(cluster, name, {suspend: false})
}

/**
 * Approves the plan of this digest. Throws `KK_NO_OPERATED`, `KK_PAUSED` for one that is suspended, of which nothing would be
 * done, and `KK_MOVED` if it is not what would be done now.
 */
export async function approvePlan(
  cluster: OperatorCluster,
  name: string,
  digest: string,
): Promise<readonly string[]> {
  const {status} = await managedEnvironment(cluster, name)
  const {removal} = status ?? {}
  const {digest: now, actions = []} = removal?.releases.length
    ? {digest: removal.digest, actions: removal.releases.map((release) => `remove ${release}`)}
    : (status?.plan ?? {})
  if (now !== digest || actions.length === 0) {
    const found = now === undefined || actions.length === 0 ? 'nothing' : `the plan ${now}`
    throw new KkError('KK_MOVED', `${found} waits for approval of ${name}, not the plan ${digest}`, {
      hint: `look at what would be done: kk operator status ${name}`,
    })
  }
  await setSpec(cluster, name, {approval: {plan: digest}})
  return actions
}

/**
 * Asks for another attempt at what has failed; `now` tells one request from another, and `say` is told when it will be made.
 * Throws `KK_NO_OPERATED`, and `KK_PAUSED`.
 */
export async function retryEnvironment(
  cluster: OperatorCluster & {readonly leases: Leases},
  name: string,
  {now, say}: {readonly now: Date; readonly say: (line: string) => void},
): Promise<void> {
  await managedEnvironment(cluster, name)
  const fields = {metadata: {annotations: {[RETRY]: now.toISOString()}}}
  await cluster.objects.merge(ENVIRONMENTS, {namespace: KK_NAMESPACE, name}, fields)
  if (await hasLeader(cluster.leases)) say(`the operator tries ${name} again`)
  else say(`no process of the operator leads now: ${name} is tried again once one does`)
}

/**
 * Hands the inputs of an environment over to the operator, which changes nothing until it is resumed: in a Secret if they are
 * `secret`, else to where an earlier Environment of that name has them, whose spec stays otherwise, else in a ConfigMap. Throws
 * `KK_NO_OPERATED` where the cluster has no such kind, `KK_KINDS`, and `KK_USAGE` where they are in a registry. Returns the ConfigMap that a
 * Secret has taken the place of: it still has the file.
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
    throw new KkError('KK_NO_OPERATED', 'the cluster has no operator, and knows no Environments', {
      hint: 'install it first: kk operator install',
    })
  }
  const earlier = all.find(({metadata}) => metadata.name === name)?.spec.source
  const spec = {source: secret ? {secret: name} : (earlier ?? {configMap: name})}
  if (spec.source.oci !== undefined) throw notWritable(name, spec.source.oci)
  const overrides = overridesField({name, spec}, source)
  // First, for an operator that drives it already would begin with what is written.
  if (secret && earlier?.configMap !== undefined) {
    // Somebody else's field would stay beside it.
    const moved = {suspend: true, source: {...spec.source, configMap: null}}
    await objects.merge(ENVIRONMENTS, {namespace: KK_NAMESPACE, name}, {spec: moved})
  }
  await writeObject(objects, ENVIRONMENTS, name, {spec: {...spec, ...overrides, suspend: true}})
  await writeSource(objects, {name, spec: {...spec, ...overrides}}, source)
  return secret ? earlier?.configMap : undefined
}

/**
 * Writes other inputs of an Environment that the operator drives, to where it names them; where they are the same, has what has
 * failed tried again: a second change would break off what the first has begun. `now` tells one request from
 * another. Throws `KK_NO_OPERATED`, and `KK_PAUSED` for one that is suspended.
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
  // What is missing is written.
  const before = await read().catch(() => undefined)
  await writeSource(objects, {name, spec}, source)
  const isSame = isDeepStrictEqual(before, await read())
  const metadata = isSame ? {annotations: {[RETRY]: now.toISOString()}} : {}
  await objects.merge(ENVIRONMENTS, {namespace: KK_NAMESPACE, name}, {metadata, spec: overrides})
}

/** Returns an Environment that the operator drives. Throws `KK_NO_OPERATED`, and `KK_PAUSED`. */
export async function managedEnvironment(cluster: OperatorCluster, name: string): Promise<EnvironmentObject> {
  const environment = await existingEnvironment(cluster, name)
  if (!environment.spec.suspend) return environment
  throw new KkError('KK_PAUSED', `the operator does nothing to ${name}: it is paused`, {
    hint: `let it drive the environment: kk operator resume ${name}; or change it by the command line, without the operator`,
  })
}

interface Sourced {
  readonly name: string
  readonly spec: Pick<EnvironmentSpec, 'source' | 'overrides'>
}

/** Returns what an Environment has to say of overrides that are given to it. */
function overridesField({name, spec}: Sourced, {overrides}: SourceText): Pick<EnvironmentSpec, 'overrides'> {
  return overrides === undefined ? {} : {overrides: {secret: spec.overrides?.secret ?? `${name}-overrides`}}
}

/** Writes inputs to the objects that an Environment names. */
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
    `the file of the Environment ${name} is ${oci}, which nothing can be written to`,
    {
      hint: 'push another artifact, and name its digest in spec.source.oci',
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

/** The field manager of what people write by kk. */
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
  const found = await cluster.objects.read<EnvironmentObject>(ENVIRONMENTS, place)
  if (found) return found
  await expectServed(cluster.apiServer)
  throw unknownEnvironment(name)
}

export function unknownEnvironment(name: string): KkError {
  return new KkError('KK_NO_OPERATED', `there is no Environment ${name} in ${KK_NAMESPACE}`, {
    hint: 'see those that there are: kk operator status; or hand one over: kk operator adopt FILE',
  })
}
