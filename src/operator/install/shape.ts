import {KkError} from '../../base/errors.ts'
import {DEPLOYMENTS} from '../../kubernetes/api/resources.ts'
import {KK_NAMESPACE} from '../../kubernetes/lease/lease.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import type {Objects} from '../../kubernetes/objects/objects.ts'

/** The process topologies of the operator: the options 1, 2a and 2b of the design. */
export const SHAPES = ['one', 'per-service', 'per-component'] as const

export interface Shape {
  readonly shape: (typeof SHAPES)[number]
  /** Charts, sections and releases with dedicated workers; empty for the shape `one`. */
  readonly shards: readonly string[]
}

export const UNSHARDED: Shape = {shape: 'one', shards: []}

/** The name of the operator's Deployment: the only process, or the parent of the workers. */
export const NAME = 'kk-operator'
export const nameLabel = (name: string) => ({'app.kubernetes.io/name': name})
/** The name of the account of workers. */
export const WORKER_NAME = 'kk-operator-child'
/** The annotation of the operator's Deployment with its shape. */
const SHAPE = 'kk.openstack.org/shape'

interface InstalledDeployment {
  readonly metadata: {
    readonly name: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
}

/** Throws `KK_SHAPE` if the operator is installed in a different shape. */
export async function expectShape(
  desired: readonly KubernetesObject[],
  objects: Pick<Objects, 'read'>,
): Promise<void> {
  const deployment = desired.find(({kind, metadata}) => kind === DEPLOYMENTS.kind && metadata.name === NAME)
  if (!deployment) return
  const readShape = ({metadata}: InstalledDeployment) => metadata.annotations?.[SHAPE] ?? UNSHARDED.shape
  const installed = await objects.read<InstalledDeployment>(DEPLOYMENTS, {
    namespace: KK_NAMESPACE,
    name: NAME,
  })
  if (!installed || readShape(installed) === readShape(deployment as InstalledDeployment)) return
  throw new KkError(
    'KK_SHAPE',
    `the operator is installed in the topology ${readShape(installed)}, not ${readShape(deployment as InstalledDeployment)}; nothing was changed`,
    {
      hint: `to change the topology, pause every Environment (kk operator pause NAME), then: kubectl delete deployments -n ${KK_NAMESPACE} -l 'app.kubernetes.io/name in (${NAME}, ${WORKER_NAME})'; install it again, and resume them (kk operator resume NAME). Releases are not changed`,
    },
  )
}

/** Deletes the Deployments of workers that are no longer desired; their running tasks end first. */
export async function deleteWorkers(
  desired: readonly KubernetesObject[],
  objects: Pick<Objects, 'list' | 'delete'>,
): Promise<void> {
  const names = new Set(
    desired.filter(({kind}) => kind === DEPLOYMENTS.kind).map(({metadata}) => metadata.name),
  )
  const all = (await objects.list<InstalledDeployment>(DEPLOYMENTS, KK_NAMESPACE)) ?? []
  for (const {metadata} of all) {
    const isChild = metadata.labels?.['app.kubernetes.io/name'] === WORKER_NAME
    if (isChild && !names.has(metadata.name))
      await objects.delete(DEPLOYMENTS, {namespace: KK_NAMESPACE, name: metadata.name})
  }
}
