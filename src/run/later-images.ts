import {isMap} from '../base/values.ts'
import {levels} from '../graph/levels.ts'
import type {ImagePull} from '../kubernetes/image-pulls.ts'
import {isHook} from '../kubernetes/manifest/helm-view.ts'
import type {KubernetesObject} from '../kubernetes/manifest/kubernetes-object.ts'
import {containersOf, podTemplate} from '../kubernetes/manifest/pods.ts'
import {actionGraph} from '../plan/action-graph.ts'
import type {Plan} from '../plan/plan.ts'
import {type ReleaseId, releaseNamespace} from '../release.ts'

/** The fields that decide where a pod is placed, and how its images are pulled. */
const PLACEMENT = ['nodeSelector', 'tolerations', 'imagePullSecrets'] as const

interface NeededImage {
  readonly namespace: string
  readonly placement: Readonly<Record<string, unknown>>
  readonly image: string
  readonly policy?: string
}

/**
 * Returns the images of the releases that wait for others of the plan, in start order, without those of the
 * releases that start at once. Pods of CronJobs and hooks are ignored.
 */
export function laterImages(
  plan: Plan,
  rendered: ReadonlyMap<ReleaseId, readonly KubernetesObject[]>,
): readonly ImagePull[] {
  const acting = plan.actions.filter(({kind}) => kind !== 'unchanged')
  const names = new Set(acting.map(({release}) => release))
  const waiting = acting.map((action) => ({
    ...action,
    requires: action.requires.filter(({release, kind}) => kind === 'ready' && names.has(release)),
  }))
  const [first = [], ...later] = levels(actionGraph(waiting))
  const needed = (of: readonly ReleaseId[]) =>
    of.flatMap((release) => neededImages(releaseNamespace(release), rendered.get(release) ?? []))
  const early = new Set(needed(first).map(({image}) => image))
  const wanted = needed(later.flat()).filter(({image}) => !early.has(image))
  const groups = Map.groupBy(wanted, ({namespace, placement}) => JSON.stringify([namespace, placement]))
  return [...groups.values()].map((group) => ({
    namespace: group[0]!.namespace,
    placement: group[0]!.placement,
    images: [...new Map(group.map((each) => [each.image, imageOf(each)])).values()],
  }))
}

function imageOf({image, policy}: NeededImage): ImagePull['images'][number] {
  return {image, ...(policy !== undefined && {policy})}
}

function neededImages(
  defaultNamespace: string,
  objects: readonly KubernetesObject[],
): readonly NeededImage[] {
  return objects.flatMap((object) => {
    const {kind, metadata} = object
    const template = podTemplate(object)
    if (!template || kind === 'CronJob' || isHook(object)) return []
    const spec = isMap(template.spec) ? template.spec : {}
    const placement = Object.fromEntries(
      PLACEMENT.flatMap((key) => (spec[key] === undefined ? [] : [[key, spec[key]]])),
    )
    return containersOf(template).flatMap(({container}) => {
      const {image, imagePullPolicy: policy} = container as {image?: unknown; imagePullPolicy?: string}
      if (typeof image !== 'string' || policy === 'Never') return []
      const pullPolicy = policy === undefined ? {} : {policy}
      return [{namespace: metadata.namespace ?? defaultNamespace, placement, image, ...pullPolicy}]
    })
  })
}
