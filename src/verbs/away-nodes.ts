import {asKkError} from '../base/errors.ts'
import type {HealthChecks} from '../kubernetes/gate/health-checks.ts'
import type {AwayNode} from '../kubernetes/gate/nodes.ts'
import {objectName, parseManifest} from '../kubernetes/manifest/manifest.ts'
import type {StoredRelease} from '../kubernetes/records/release-record.ts'
import {type Action, isChange} from '../plan/plan.ts'
import type {PreparedRelease} from '../prepare/prepare.ts'
import {type ReleaseId, releaseName} from '../release.ts'

/** Returns a note for each release of a plan whose gate lets pods be unavailable. */
export function allowanceNotes(
  actions: readonly Action[],
  {releases}: {readonly releases: ReadonlyMap<ReleaseId, Pick<PreparedRelease, 'unavailable'>>},
): readonly string[] {
  return actions.flatMap(({kind, release}) => {
    const {unavailable} = releases.get(release) ?? {}
    if (!unavailable || kind === 'unchanged') return []
    return [
      `${releaseName(release)}: its gate lets ${unavailable} of the pods of each Deployment and DaemonSet be unavailable (kk.releases.${releaseName(release)}.unavailable)`,
    ]
  })
}

/**
 * Returns a note with the nodes that are away and the DaemonSets of the changed releases, whose pods there
 * will not be awaited. Costs one list of nodes if a release with a DaemonSet is upgraded; none if the nodes
 * may not be read.
 */
export async function awayNodeNotes(
  actions: readonly Action[],
  previous: ReadonlyMap<ReleaseId, readonly StoredRelease[]>,
  {health}: {readonly health: Pick<HealthChecks, 'awayNodes'>},
): Promise<readonly string[]> {
  const sets = actions.filter(isChange).flatMap(({release}) => {
    const [last] = previous.get(release) ?? []
    return last ? daemonSets(last).map((set) => `${set} of ${releaseName(release)}`) : []
  })
  if (sets.length === 0) return []
  const away = await health.awayNodes().catch(ignoreForbidden)
  if (!away || away.length === 0) return []
  return [`pods are not awaited on ${away.map(awayText).join(', ')}: ${sets.join(', ')}`]
}

function ignoreForbidden(error: unknown): undefined {
  if (asKkError(error).code !== 'KK_FORBIDDEN') throw error
}

function daemonSets({manifest}: StoredRelease): readonly string[] {
  if (!/^kind: *"?DaemonSet/m.test(manifest)) return []
  return parseManifest(manifest)
    .filter(({kind}) => kind === 'DaemonSet')
    .map(objectName)
}

function awayText({node, reason, since}: AwayNode): string {
  return `node ${node} (${reason}${since ? ` since ${since}` : ''})`
}
