import {dig, digText} from '../../../base/dig.ts'
import {apiGroup, objectName, type RenderedObject} from '../../../kubernetes/manifest/manifest.ts'
import {repeatedObjects} from '../../../kubernetes/manifest/repeated-objects.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../../release.ts'
import type {ChartFault} from '../chart-fault.ts'
import type {ExaminedRelease} from '../examined-release.ts'
import {identity} from '../same-object.ts'
import {isUntouchedDefinition} from './untouched-definitions.ts'

/** The built-in cluster-scoped kinds. */
const CLUSTER_SCOPED =
  /^(?:APIService|CSIDriver|ClusterRole|ClusterRoleBinding|CustomResourceDefinition|FlowSchema|Namespace|PersistentVolume|PriorityLevelConfiguration|(?:Priority|Runtime|Storage|Ingress)Class|(?:Mutating|Validating)(?:WebhookConfiguration|AdmissionPolicy|AdmissionPolicyBinding))$/

/** A release with the objects that it creates. */
export type Creator = Pick<ExaminedRelease, 'release' | 'objects'>

/** An object with the release that creates it. */
export interface CreatedObject extends RenderedObject {
  readonly release: ReleaseId
}

/**
 * Returns a fault for each object that one release creates twice, or that two releases create: helm refuses
 * the second release, or each takes the object from the other. A CRD that both have in `crds/` is a warning:
 * only the first release creates it, possibly in another version.
 */
export function claimedTwice(releases: readonly Creator[]): readonly ChartFault[] {
  return [...duplicateObjects(releases).map(faultOf), ...releases.flatMap(repeatedIn)]
}

/** Returns the objects that several releases create, each with the object of every release. */
export function duplicateObjects(releases: readonly Creator[]): readonly (readonly CreatedObject[])[] {
  const isWide = wideKinds(releases)
  const claims = releases.flatMap(({release, objects}) => objects.map((each) => ({release, ...each})))
  const keyOf = ({release, object}: CreatedObject) =>
    isWide(object)
      ? `${apiGroup(object.apiVersion)}/${object.kind}/${object.metadata.name}`
      : identity(object, release)
  return [...Map.groupBy(claims, keyOf).values()].filter((same) => creatorIds(same).length > 1)
}

function repeatedIn({release, objects}: Creator): readonly ChartFault[] {
  const plainObjects = objects.map(({object}) => object)
  return repeatedObjects(plainObjects, releaseNamespace(release)).map(({object, isSame}) => {
    const files = objects.filter((each) => identity(each.object, release) === identity(object, release))
    return {
      check: 'claimed twice',
      level: isSame ? 'warning' : 'problem',
      release,
      object: objectName(object),
      file: files[0]!.file,
      what: `${objectName(object)} is created more than once by ${releaseName(release)}${isSame ? '' : ', with different content'}: ${[...new Set(files.map(({file}) => file))].join(', ')}`,
      advice: isSame
        ? 'create it once: helm 3 does not install the chart'
        : 'create it once: a deploy is refused',
    }
  })
}

export function creatorIds(same: readonly CreatedObject[]): readonly ReleaseId[] {
  return [...new Set(same.map(({release}) => release))]
}

function faultOf(same: readonly CreatedObject[]): ChartFault {
  const {release, object, file} = same[0]!
  const names = creatorIds(same).map(releaseName).join(' and ')
  const files = [...new Set(same.map((each) => each.file))].join(', ')
  const fault = {check: 'claimed twice', release, object: objectName(object), file} as const
  const isKept = same.every(isUntouchedDefinition)
  const advice = isKept
    ? 'make sure that both have the same version: helm does not change the one that the first release created'
    : 'disable it in one of them, or change its name in the values'
  const what = `${objectName(object)} is created by ${names}: ${files}`
  return {...fault, level: isKept ? 'warning' : 'problem', what, advice}
}

/** Returns a predicate for objects of cluster-scoped kinds, built in or defined by CRDs of these releases. */
function wideKinds(releases: readonly Creator[]): (object: RenderedObject['object']) => boolean {
  const definitions = releases.flatMap(({objects}) =>
    objects.filter(
      ({object}) => object.kind === 'CustomResourceDefinition' && dig(object, 'spec', 'scope') === 'Cluster',
    ),
  )
  const custom = new Set(
    definitions.map(
      ({object}) => `${digText(object, 'spec', 'group')}/${digText(object, 'spec', 'names', 'kind')}`,
    ),
  )
  return (object) =>
    CLUSTER_SCOPED.test(object.kind) || custom.has(`${apiGroup(object.apiVersion)}/${object.kind}`)
}
