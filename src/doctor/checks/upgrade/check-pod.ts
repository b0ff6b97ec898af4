import {DATABASES, type Database} from '../../../audit/queries.ts'
import {dig, digMaps, digText} from '../../../base/dig.ts'
import type {KubernetesObject} from '../../../kubernetes/manifest/kubernetes-object.ts'
import {podTemplate} from '../../../kubernetes/manifest/pods.ts'
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
  /** The container of the new revision. */
  readonly following: Container
  /** The secrets with which its image is pulled. */
  readonly pullSecrets: unknown
  /** The section of the environment. */
  readonly section: string
  /** The migrations that the environment accepts. */
  readonly accepted: readonly string[]
  /** Whether the last change of the release, or of one that it requires, has not ended. */
  readonly isUnfinished: boolean
}

/** Returns the services of a change of which a component that uses the database gets another image. */
export function serviceUpgrades({
  next,
  upgrade,
}: Pick<Change, 'next' | 'upgrade'>): readonly ServiceUpgrade[] {
  const all = [...next].flatMap(
    ([release, {objects, before, section = releaseName(release), accepted = []}]) => {
      const deployments = objects.map(({object}) => object).filter(({kind}) => kind === 'Deployment')
      const service = deployments
        .map((each) => each.metadata.labels?.[NAME])
        .find((name) => name !== undefined)
      const [database, ...components] = DATABASES[service ?? ''] ?? []
      if (service === undefined || database === undefined) return []
      for (const component of components) {
        const isOf = (each: KubernetesObject) =>
          each.kind === 'Deployment' && each.metadata.labels?.[COMPONENT] === component
        const deployment = before.find(isOf)
        const following = deployments.find(isOf)
        const [old, fresh] = [deployment, following].map((each) => each && containerOf(each, component))
        if (!deployment || !following || !old || !fresh || old.image === fresh.image) continue
        const pullSecrets = dig(podTemplate(following)?.spec, 'imagePullSecrets')
        const isUnfinished = upgrade?.unfinished.has(release) ?? false
        const of = {
          release,
          service,
          database,
          deployment,
          container: component,
          section,
          accepted,
          isUnfinished,
        }
        return [{...of, following: fresh, pullSecrets}]
      }
      return []
    },
  )
  // Each component of a section may be a release, and all have the database.
  return [...new Map(all.map((each) => [`${each.section}/${each.service}`, each])).values()]
}

const NAME = 'app.kubernetes.io/name'
const COMPONENT = 'app.kubernetes.io/component'

interface Container {
  readonly name: string
  readonly image: string
  readonly [field: string]: unknown
}

function containerOf(deployment: KubernetesObject, container: string): Container | undefined {
  const containers = digMaps(podTemplate(deployment)?.spec, 'containers') as readonly Container[]
  return containers.find(({name}) => name === container)
}

/** How long the pod stays if kk ends before it deletes it, in seconds. */
const LIFETIME_SECONDS = 900

/**
 * Returns a pod that has the new image with the configuration of the running service, and waits for programs.
 * It has another component than the service, so that no Service selects it, and the other labels, for
 * policies of the network.
 */
export function checkPod(upgrade: ServiceUpgrade, now: number) {
  const {release, deployment, container, following, pullSecrets} = upgrade
  const {labels, spec: running} = podTemplate(deployment)!
  const {
    affinity: _,
    topologySpreadConstraints: __,
    initContainers: ___,
    ...spec
  } = running as Readonly<Record<string, unknown>>
  const own = containerOf(deployment, container)!
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
      imagePullSecrets: pullSecrets,
      // The running service may have the claim on another node.
      volumes: digMaps(spec, 'volumes').map((each) =>
        'persistentVolumeClaim' in each ? {name: digText(each, 'name'), emptyDir: {}} : each,
      ),
      restartPolicy: 'Never',
      activeDeadlineSeconds: LIFETIME_SECONDS,
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          ...kept,
          image: following.image,
          imagePullPolicy: following.imagePullPolicy,
          // As kolla_start does before it starts the service.
          command: [
            ...['bash', '-c'],
            `sudo -E kolla_set_configs && touch ${CONFIGURED} && exec sleep ${LIFETIME_SECONDS}`,
          ],
          readinessProbe: {
            exec: {command: ['test', '-e', CONFIGURED]},
            periodSeconds: 1,
            failureThreshold: 600,
          },
        },
      ],
    },
  } as const
}

/** Exists when the configuration is in place. */
const CONFIGURED = '/tmp/kk-configured'

/** What only the service needs; without requests, the pod fits on a full node. */
const DROPPED: ReadonlySet<string> = new Set([
  ...['args', 'ports', 'lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe', 'resources'],
])

/** The label selector of such pods of a release. */
export function checkPodsOf({deployment}: ServiceUpgrade): string {
  const instance = deployment.metadata.labels?.['app.kubernetes.io/instance']
  return `${COMPONENT}=upgrade-check,app.kubernetes.io/instance=${instance}`
}
