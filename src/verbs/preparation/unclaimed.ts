import type {KubernetesObject, StoredRelease} from '../../cluster/cluster.ts'
import {objectName, parseManifest} from '../../cluster/manifest.ts'
import {KkError} from '../../errors.ts'
import {droppedObjects} from '../../plan/leftovers/dropped.ts'
import {markedRelease} from '../../plan/leftovers/ownership.ts'
import type {Plan} from '../../plan/plan.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'

/** An object of a release that exists already. */
export interface StandingObject {
  readonly release: ReleaseId
  readonly object: KubernetesObject
  readonly live: KubernetesObject['metadata']
}

/** What is planned, and what each upgrade is compared with. */
export interface Compared {
  readonly plan: Plan
  readonly befores: ReadonlyMap<ReleaseId, readonly StoredRelease[]>
}

/**
 * Throws `KK_IN_THE_WAY` for objects that exist and that helm does not take over, for it has not made them for this release:
 * it says so only when the turn of the release has come (Helm 4.2: validate.go checkOwnership). What a release had
 * before, it may have again, and what another release of the plan has may be given up by then.
 */
export function expectUnclaimed(standing: readonly StandingObject[], {plan, befores}: Compared): void {
  const blocked = standing.filter(({release, object, live}) => {
    const owner = markedRelease(live)
    // Those of `crds/` helm takes as they are, whoever made them, and here they look like any other.
    if (object.kind === 'CustomResourceDefinition') return false
    if (owner === release || (owner && isUpgraded(plan, owner))) return false
    const before = (befores.get(release) ?? []).flatMap(({manifest}) => parseManifest(manifest))
    return droppedObjects([object], before, releaseNamespace(release)).length > 0
  })
  if (blocked.length === 0) return
  const texts = blocked.map(({release, object, live}) => {
    const owner = markedRelease(live)
    return `${release}: ${objectName(object)}, ${owner ? `which belongs to the release ${owner}` : 'which no release made'}`
  })
  throw new KkError(
    'KK_IN_THE_WAY',
    `objects exist already that helm would not take over:\n  ${texts.join('\n  ')}`,
    {
      hint: 'call them otherwise in the values of these releases, or delete those that nobody needs; nothing was changed',
    },
  )
}

function isUpgraded({actions}: Plan, release: ReleaseId): boolean {
  return actions.some((action) => action.release === release && action.kind === 'upgrade')
}
