import {DATABASES, type Database} from '../../../audit/queries.ts'
import {dig} from '../../../base/dig.ts'
import type {KubernetesObject} from '../../../kubernetes/manifest/kubernetes-object.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../../release.ts'
import type {Change} from '../change.ts'

/** A service whose image with the migrations of its database is replaced. */
export interface ServiceUpgrade {
  readonly release: ReleaseId
  /** The chart, after which its program `NAME-status` is called. */
  readonly service: string
  readonly database: Database
  /** The deployed Deployment of a component that uses the database, and its container. */
  readonly deployment: KubernetesObject
  readonly container: string
  readonly image: string
  /** The migrations that the environment accepts. */
  readonly accepted: readonly string[]
}

/** Returns the services of a change of which a component that uses the database gets another image. */
export function serviceUpgrades({next}: Pick<Change, 'next'>): readonly ServiceUpgrade[] {
  return [...next].flatMap(([release, {objects, before, accepted = []}]) => {
    const deployments = objects.map(({object}) => object).filter(({kind}) => kind === 'Deployment')
    const service = deployments.map((each) => each.metadata.labels?.[NAME]).find((name) => name !== undefined)
    const [database, ...components] = DATABASES[service ?? ''] ?? []
    if (service === undefined || database === undefined) return []
    for (const component of components) {
      const isOf = (each: KubernetesObject) =>
        each.kind === 'Deployment' && each.metadata.labels?.[COMPONENT] === component
      const deployment = before.find(isOf)
      const following = deployments.find(isOf)
      const image = following && imageOf(following, component)
      if (!deployment || image === undefined) continue
      const deployed = imageOf(deployment, component)
      if (deployed === undefined || deployed === image) continue
      return [{release, service, database, deployment, container: component, image, accepted}]
    }
    return []
  })
}

const NAME = 'app.kubernetes.io/name'
const COMPONENT = 'app.kubernetes.io/component'

interface Container {
  readonly name: string
  readonly image: string
  readonly [field: string]: unknown
}

function containersOf(deployment: KubernetesObject): readonly Container[] {
  return (dig(deployment, 'spec', 'template', 'spec', 'containers') ?? []) as readonly Container[]
}

function imageOf(deployment: KubernetesObject, container: string): string | undefined {
  return containersOf(deployment).find(({name}) => name === container)?.image
}

/** How long the pod stays if kk ends before it deletes it, in seconds. */
const LIFETIME_SECONDS = 900

/**
 * Returns a pod that has the new image with the configuration of the running service, and waits for programs.
 * It has another component than the service, so that no Service selects it, and the other labels, for
 * policies of the network.
 */
export function checkPod({release, deployment, container, image}: ServiceUpgrade, now: number) {
  const {labels = {}} = (dig(deployment, 'spec', 'template', 'metadata') ?? {}) as {labels?: Labels}
  const {
    affinity: _,
    topologySpreadConstraints: __,
    initContainers: ___,
    ...spec
  } = dig(...([deployment, 'spec', 'template', 'spec'] as const)) as Readonly<Record<string, unknown>>
  const own = containersOf(deployment).find(({name}) => name === container)!
  const kept = Object.fromEntries(Object.entries(own).filter(([field]) => !DROPPED.has(field)))
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${releaseName(release)}-upgrade-check-${now.toString(36)}`,
      namespace: releaseNamespace(release),
      labels: {...labels, [COMPONENT]: 'upgrade-check'},
    },
    spec: {
      ...spec,
      restartPolicy: 'Never',
      activeDeadlineSeconds: LIFETIME_SECONDS,
      terminationGracePeriodSeconds: 0,
      // As kolla_start does before it starts the service.
      containers: [
        {
          ...kept,
          image,
          command: ['bash', '-c', `sudo -E kolla_set_configs && exec sleep ${LIFETIME_SECONDS}`],
        },
      ],
    },
  } as const
}

type Labels = Readonly<Record<string, string>>

/** What only the service needs; without requests, the pod fits on a full node. */
const DROPPED: ReadonlySet<string> = new Set([
  ...['args', 'ports', 'lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe', 'resources'],
])

/** The label selector of such pods of a release. */
export function checkPodsOf({deployment}: ServiceUpgrade): string {
  const instance = deployment.metadata.labels?.['app.kubernetes.io/instance']
  return `${COMPONENT}=upgrade-check,app.kubernetes.io/instance=${instance}`
}
