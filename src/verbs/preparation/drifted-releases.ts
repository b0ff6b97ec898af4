import type {Cluster} from '../../cluster/cluster.ts'
import {objectName, parseManifest} from '../../cluster/manifest.ts'
import {mapParallel} from '../../cluster/parallel.ts'
import {driftReason} from '../../plan/drift/drift-reason.ts'
import type {Action} from '../../plan/plan.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import {driftedObjects} from '../observation/drift.ts'

const CANDIDATES: ReadonlySet<string> = new Set(['unchanged', 'relabel', 'await', 'check'])
/** Each reads a record, and eight objects at a time. */
const AT_ONCE = 4

/** Of the actions of a plan that leave a release as it is, those whose objects drifted, with the reason to upgrade them. */
export async function driftedReleases(
  actions: readonly Action[],
  cluster: Pick<Cluster, 'stored' | 'dryApply' | 'scaleTargets'>,
): Promise<ReadonlyMap<ReleaseId, string>> {
  const candidates = actions.filter(({kind}) => CANDIDATES.has(kind))
  const found = await mapParallel(candidates, AT_ONCE, async ({release, revision}) => {
    const stored = await cluster.stored(release, revision)
    return {release, objects: stored ? await driftedObjects(cluster, stored) : []}
  })
  return new Map(
    found.flatMap(({release, objects}) => {
      const reason = driftReason(objects)
      return reason === undefined ? [] : [[release, reason] as const]
    }),
  )
}

/** A line for each release that a plan leaves as it is, though objects of it do not exist. */
export async function missingNotes(
  actions: readonly Action[],
  cluster: Pick<Cluster, 'stored' | 'missing'>,
): Promise<readonly string[]> {
  const candidates = actions.filter(({kind}) => CANDIDATES.has(kind))
  const notes = await mapParallel(candidates, AT_ONCE, async ({release, revision}) => {
    const stored = await cluster.stored(release, revision)
    const objects = stored ? parseManifest(stored.manifest) : []
    const missing = await cluster.missing(releaseNamespace(release), objects)
    if (missing.length === 0) return []
    const names = missing.map(objectName).join(', ')
    return [
      `${releaseName(release)} drifted: ${names} ${missing.length === 1 ? 'is' : 'are'} gone from the cluster, and this plan leaves that so; with --correct-drift a deploy makes it again`,
    ]
  })
  return notes.flat()
}
