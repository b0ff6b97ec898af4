import {KkError} from '../../base/errors.ts'
import {DEPLOYMENTS} from '../../kubernetes/api/resources.ts'
import {kkPod} from '../../kubernetes/kk-pod.ts'
import {KK_NAMESPACE} from '../../kubernetes/lease/lease.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import type {Objects} from '../../kubernetes/objects/objects.ts'
import {accountObjects} from '../../kubernetes/permissions/account.ts'
import {CHILD_ROLES} from '../../kubernetes/permissions/roles.ts'
import {OTHERS} from '../children/shards.ts'

/** Which processes the operator consists of: the options 1, 2a and 2b of the design. */
export const SHAPES = ['one', 'per-service', 'per-component'] as const

export interface Shape {
  readonly shape: (typeof SHAPES)[number]
  /** Charts, sections and releases whose actions are done by a process of their own; empty for the shape `one`. */
  readonly shards: readonly string[]
}

export const ONE: Shape = {shape: 'one', shards: []}

/** The name of the operator's Deployment, which does all, or plans for its children. */
export const NAME = 'kk-operator'
export const labelsOf = (name: string) => ({'app.kubernetes.io/name': name})
export const LABELS = labelsOf(NAME)
/** The name of the account of children. */
export const CHILD_NAME = 'kk-operator-child'
const CHILD_LABELS = labelsOf(CHILD_NAME)
/** The annotation of the operator's Deployment that tells its shape. */
export const SHAPE = 'kk.openstack.org/shape'
const PORT = 8080

interface ShapeOptions {
  readonly image: string
  readonly namespaces: readonly string[]
  readonly makesOfCluster: boolean
}

/** Returns the Deployments of a shape, with what children run by. */
export function shapeObjects(
  {shape, shards}: Shape,
  {image, namespaces, makesOfCluster}: ShapeOptions,
): readonly KubernetesObject[] {
  const given = (each: readonly string[]) => each.flatMap((shard) => ['--shards', shard])
  const role = shape === 'one' ? [] : ['--role', 'parent', ...given(shards)]
  const first = deployment({name: NAME, labels: LABELS, replicas: 2, account: NAME, image, role})
  const annotated = {...first, metadata: {...first.metadata, annotations: {[SHAPE]: shape}}}
  if (shape === 'one') return [annotated]
  const children = [...shards, OTHERS].map((shard) =>
    deployment({
      ...{name: `${NAME}-${shard}`, replicas: 1, account: CHILD_NAME, image},
      labels: {...CHILD_LABELS, 'app.kubernetes.io/component': shard},
      role: ['--role', 'child', ...given([shard])],
    }),
  )
  const account = accountObjects({
    ...{name: CHILD_NAME, labels: CHILD_LABELS, namespace: KK_NAMESPACE},
    ...{rights: CHILD_ROLES, releases: namespaces, makesOfCluster},
  })
  return [...account, ...children, annotated]
}

interface DeploymentOptions {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly replicas: number
  readonly account: string
  readonly image: string
  /** The words after `kk operator run`. */
  readonly role: readonly string[]
}

function deployment({name, labels, replicas, account, image, role}: DeploymentOptions): KubernetesObject {
  const probe = (path: string) => ({httpGet: {path, port: PORT}, periodSeconds: 10, timeoutSeconds: 5})
  const pod = kkPod({
    account,
    container: 'operator',
    image,
    command: ['kk-operator', '--listen', `0.0.0.0:${PORT}`, ...role],
    more: {
      ports: [{name: 'probes', containerPort: PORT}],
      livenessProbe: probe('/healthz'),
      readinessProbe: probe('/readyz'),
    },
  })
  return {
    apiVersion: DEPLOYMENTS.apiVersion,
    kind: DEPLOYMENTS.kind,
    metadata: {name, namespace: KK_NAMESPACE, labels},
    spec: {replicas, selector: {matchLabels: labels}, template: {metadata: {labels}, spec: pod}},
  }
}

interface Found {
  readonly metadata: {
    readonly name: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
}

/** Throws `KK_SHAPE` where the operator is installed in another shape than that of these objects. */
export async function expectShape(
  made: readonly KubernetesObject[],
  objects: Pick<Objects, 'read'>,
): Promise<void> {
  const wanted = made.find(({kind, metadata}) => kind === DEPLOYMENTS.kind && metadata.name === NAME)
  if (!wanted) return
  const shapeOf = ({metadata}: Found) => metadata.annotations?.[SHAPE] ?? ONE.shape
  const found = await objects.read<Found>(DEPLOYMENTS, {namespace: KK_NAMESPACE, name: NAME})
  if (!found || shapeOf(found) === shapeOf(wanted as Found)) return
  throw new KkError(
    'KK_SHAPE',
    `the operator is installed in the shape ${shapeOf(found)}, not ${shapeOf(wanted as Found)}; nothing was changed`,
    {
      hint: `to move it, pause every Environment (kk operator pause NAME), then: kubectl delete deployments -n ${KK_NAMESPACE} -l 'app.kubernetes.io/name in (${NAME}, ${CHILD_NAME})'; install it again, and resume them (kk operator resume NAME). Releases stay as they are`,
    },
  )
}

/** Deletes the Deployments of children but those that are wanted: what one of them is at work on ends first. */
export async function dropChildren(
  wanted: readonly KubernetesObject[],
  objects: Pick<Objects, 'list' | 'delete'>,
): Promise<void> {
  const names = new Set(
    wanted.filter(({kind}) => kind === DEPLOYMENTS.kind).map(({metadata}) => metadata.name),
  )
  const all = (await objects.list<Found>(DEPLOYMENTS, KK_NAMESPACE)) ?? []
  for (const {metadata} of all) {
    const isChild = metadata.labels?.['app.kubernetes.io/name'] === CHILD_NAME
    if (isChild && !names.has(metadata.name))
      await objects.delete(DEPLOYMENTS, {namespace: KK_NAMESPACE, name: metadata.name})
  }
}
