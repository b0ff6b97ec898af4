import {dig, digText} from '../../../base/dig.ts'
import {apiGroup, objectName, type RenderedObject} from '../../../kubernetes/manifest/manifest.ts'
import {repeatedObjects} from '../../../kubernetes/manifest/repeated-objects.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../../release.ts'
import type {ChartFault} from '../chart-fault.ts'
import type {ExaminedRelease} from '../examined-release.ts'
import {identity} from '../same-object.ts'
import {isUntouchedDefinition} from './untouched-definitions.ts'

/** The built-in kinds whose objects are in no namespace. */
const CLUSTER_WIDE =
  /^(?:APIService|CSIDriver|ClusterRole|ClusterRoleBinding|CustomResourceDefinition|FlowSchema|Namespace|PersistentVolume|PriorityLevelConfiguration|(?:Priority|Runtime|Storage|Ingress)Class|(?:Mutating|Validating)(?:WebhookConfiguration|AdmissionPolicy|AdmissionPolicyBinding))$/

/** A release with the objects that it makes. */
export type Maker = Pick<ExaminedRelease, 'release' | 'objects'>

/** An object with the release that makes it. */
export interface MadeObject extends RenderedObject {
  readonly release: ReleaseId
}

/**
 * Returns a fault for each object that one release makes twice, or that two releases both make: helm refuses the second release, or each takes the
 * object from the other. A definition that both have in `crds/` is a warning: only the first makes it, and may bring
 * another version of it.
 */
export function claimedTwice(releases: readonly Maker[]): readonly ChartFault[] {
  return [...madeByMany(releases).map(faultOf), ...releases.flatMap(repeatedIn)]
}

/** Returns the objects that several releases make, each as all of them make it. */
export function madeByMany(releases: readonly Maker[]): readonly (readonly MadeObject[])[] {
  const isWide = wideKinds(releases)
  const claims = releases.flatMap(({release, objects}) => objects.map((each) => ({release, ...each})))
  const keyOf = ({release, object}: MadeObject) =>
    isWide(object)
      ? `${apiGroup(object.apiVersion)}/${object.kind}/${object.metadata.name}`
      : identity(object, release)
  return [...Map.groupBy(claims, keyOf).values()].filter((same) => makersOf(same).length > 1)
}

function repeatedIn({release, objects}: Maker): readonly ChartFault[] {
  const made = objects.map(({object}) => object)
  return repeatedObjects(made, releaseNamespace(release)).map(({object, isSame}) => {
    const files = objects.filter((each) => identity(each.object, release) === identity(object, release))
    return {
      check: 'claimed twice',
      level: isSame ? 'warning' : 'problem',
      release,
      object: objectName(object),
      file: files[0]!.file,
      what: `${objectName(object)} is made more than once by ${releaseName(release)}${isSame ? '' : ', and not the same'}: ${[...new Set(files.map(({file}) => file))].join(', ')}`,
      advice: isSame
        ? 'make it once: helm 3 does not install the chart'
        : 'make it once: a deploy is refused',
    }
  })
}

export function makersOf(same: readonly MadeObject[]): readonly ReleaseId[] {
  return [...new Set(same.map(({release}) => release))]
}

function faultOf(same: readonly MadeObject[]): ChartFault {
  const {release, object, file} = same[0]!
  const names = makersOf(same).map(releaseName).join(' and ')
  const files = [...new Set(same.map((each) => each.file))].join(', ')
  const fault = {check: 'claimed twice', release, object: objectName(object), file} as const
  const isKept = same.every(isUntouchedDefinition)
  const advice = isKept
    ? 'see that both bring the same: helm leaves what the first has made as it is'
    : 'turn it off in one of them, or give it another name by its values'
  const what = `${objectName(object)} is made by ${names}: ${files}`
  return {...fault, level: isKept ? 'warning' : 'problem', what, advice}
}

/** Returns a predicate for objects of cluster-wide kinds, built in or custom as these releases define them. */
function wideKinds(releases: readonly Maker[]): (object: RenderedObject['object']) => boolean {
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
    CLUSTER_WIDE.test(object.kind) || custom.has(`${apiGroup(object.apiVersion)}/${object.kind}`)
}
