import {KkError} from '../../base/errors.ts'
import {DEPLOYMENTS} from '../../kubernetes/api/resources.ts'
import {KK_NAMESPACE} from '../../kubernetes/lease/lease.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import type {Objects} from '../../kubernetes/objects/objects.ts'

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
export const nameLabel = (name: string) => ({'app.kubernetes.io/name': name})
/** The name of the account of children. */
export const WORKER_NAME = 'kk-operator-child'
/** The annotation of the operator's Deployment that tells its shape. */
const SHAPE = 'kk.openstack.org/shape'

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
      hint: `to move it, pause every Environment (kk operator pause NAME), then: kubectl delete deployments -n ${KK_NAMESPACE} -l 'app.kubernetes.io/name in (${NAME}, ${WORKER_NAME})'; install it again, and resume them (kk operator resume NAME). Releases stay as they are`,
    },
  )
}

/** Deletes the Deployments of children but those that are wanted: what one of them is at work on ends first. */
export async function deleteWorkers(
  wanted: readonly KubernetesObject[],
  objects: Pick<Objects, 'list' | 'delete'>,
): Promise<void> {
  const names = new Set(
    wanted.filter(({kind}) => kind === DEPLOYMENTS.kind).map(({metadata}) => metadata.name),
  )
  const all = (await objects.list<Found>(DEPLOYMENTS, KK_NAMESPACE)) ?? []
  for (const {metadata} of all) {
    const isChild = metadata.labels?.['app.kubernetes.io/name'] === WORKER_NAME
    if (isChild && !names.has(metadata.name))
      await objects.delete(DEPLOYMENTS, {namespace: KK_NAMESPACE, name: metadata.name})
  }
}
