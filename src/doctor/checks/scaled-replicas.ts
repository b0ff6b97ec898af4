import {referredTo, type ScaleTarget, type ScaleTargetRef} from '../../kubernetes/gate/scale-targets.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {objectName} from '../../kubernetes/manifest/manifest.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'
import type {Change, CheckResult} from './change.ts'

const AUTOSCALERS: ReadonlySet<string> = new Set(['HorizontalPodAutoscaler', 'ScaledObject'])

/** A workload that sets its replicas, or an autoscaler. */
interface Scalable {
  readonly kind: string
  readonly spec?: {
    readonly replicas?: number | null
    readonly scaleTargetRef?: ScaleTargetRef
  }
}

/**
 * Returns the workloads whose replicas both a chart and an autoscaler set, in the objects of the change or on
 * the cluster: helm sets the number of the chart at each upgrade, or fails with a conflict.
 */
export async function scaledReplicas({next, cluster}: Change): Promise<readonly CheckResult[]> {
  const stating = [...next].flatMap(([release, {objects, before}]) =>
    objects
      .filter(({object}) => ((object as Scalable).spec?.replicas ?? 0) > 0)
      .map(({object}) => ({release, object, isNew: before.length === 0})),
  )
  const brought = [...next].flatMap(([release, {objects}]) =>
    objects.flatMap(({object}) => targetOf(release, object)),
  )
  const namespaces = new Set(stating.filter(({isNew}) => !isNew).map(namespaceOf))
  const onCluster = await Promise.all(
    [...namespaces].map(async (namespace) =>
      (await cluster.health.scaleTargets(namespace)).map((target) => ({...target, namespace})),
    ),
  )
  const targets = [...brought, ...onCluster.flat()]
  return stating
    .filter((one) =>
      targets.some(
        ({kind, name, namespace}) =>
          kind === one.object.kind && name === one.object.metadata.name && namespace === namespaceOf(one),
      ),
    )
    .map(({release, object}) => ({
      what: `${release}: ${objectName(object)}: the chart sets ${(object as Scalable).spec!.replicas} replicas, and an autoscaler sets them, too: helm resets the number at each upgrade`,
      advice: 'omit spec.replicas in the chart, for example with a value',
    }))
}

function namespaceOf({release, object}: {readonly release: ReleaseId; readonly object: KubernetesObject}) {
  return object.metadata.namespace ?? releaseNamespace(release)
}

/** Returns the target of an autoscaler; empty for any other object. */
function targetOf(
  release: ReleaseId,
  object: KubernetesObject,
): readonly (Pick<ScaleTarget, 'kind' | 'name'> & {readonly namespace: string})[] {
  const target = (object as Scalable).spec?.scaleTargetRef
  if (!AUTOSCALERS.has(object.kind) || !target) return []
  return [{...referredTo(target), namespace: namespaceOf({release, object})}]
}
