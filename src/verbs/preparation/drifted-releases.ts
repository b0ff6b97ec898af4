import type {Cluster} from '../../cluster/cluster.ts'
import {mapParallel} from '../../cluster/parallel.ts'
import {KkError} from '../../errors.ts'
import {driftReason} from '../../plan/drift/drift-reason.ts'
import type {DriftedObject} from '../../plan/drift/drifted-object.ts'
import type {Action} from '../../plan/plan.ts'
import type {ReleaseId} from '../../release.ts'
import {driftedObjects} from '../observation/drift.ts'

const CANDIDATES: ReadonlySet<string> = new Set(['unchanged', 'relabel', 'await'])
/** Each reads a record, and eight objects at a time. */
const AT_ONCE = 4

/**
 * Of the actions of a plan that leave a release as it is, those whose objects drifted, with the reason to upgrade them. Throws
 * `KK_CONFLICT` when helm would have to take fields from others and may not.
 */
export async function driftedReleases(
  actions: readonly Action[],
  cluster: Pick<Cluster, 'stored' | 'dryApply' | 'scaleTargets'>,
  {forceConflicts}: {readonly forceConflicts: boolean},
): Promise<ReadonlyMap<ReleaseId, string>> {
  const candidates = actions.filter(({kind}) => CANDIDATES.has(kind))
  const found = await mapParallel(candidates, AT_ONCE, async ({release, revision}) => {
    const stored = await cluster.stored(release, revision)
    return {release, objects: stored ? await driftedObjects(cluster, stored) : []}
  })
  const conflicts = found.flatMap(({release, objects}) => conflictTexts(release, objects))
  if (conflicts.length > 0 && !forceConflicts) {
    throw new KkError(
      'KK_CONFLICT',
      `somebody else manages fields that helm would set:\n  ${conflicts.join('\n  ')}`,
      {hint: 'to take them over: run the same command with --force-conflicts; nothing was changed'},
    )
  }
  return new Map(
    found.flatMap(({release, objects}) => {
      const reason = driftReason(objects)
      return reason === undefined ? [] : [[release, reason] as const]
    }),
  )
}

function conflictTexts(release: ReleaseId, objects: readonly DriftedObject[]): readonly string[] {
  return objects.flatMap(({kind, name, fields}) =>
    fields
      .filter(({manager}) => manager !== undefined)
      .map(({path, manager}) => `${release}: ${kind}/${name} ${path} is managed by ${manager}`),
  )
}
