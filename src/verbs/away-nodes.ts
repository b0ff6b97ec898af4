import {asKkError} from '../base/errors.ts'
import {mapParallel} from '../base/parallel.ts'
import type {HealthChecks} from '../kubernetes/gate/health-checks.ts'
import {ROLL} from '../kubernetes/gate/node-roll.ts'
import type {AwayNode} from '../kubernetes/gate/nodes.ts'
import {annotatedObjects, objectName, parseManifest} from '../kubernetes/manifest/manifest.ts'
import type {Records} from '../kubernetes/records/records.ts'
import type {ReleaseRecord, StoredRelease} from '../kubernetes/records/release-record.ts'
import type {Decision} from '../plan/decision/decision.ts'
import {isLeftBehind} from '../plan/labels.ts'
import {type Action, isChange, type Plan} from '../plan/plan.ts'
import type {PreparedRelease} from '../prepare/prepare.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../release.ts'

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

/**
 * Returns an await for each unchanged release some of whose nodes were left behind by its last roll and now
 * can be rolled. Costs its record and the lists of its pods, for such releases only.
 */
export async function returnedNodes(
  {actions}: Pick<Plan, 'actions'>,
  observed: readonly ReleaseRecord[],
  {records, health}: {readonly records: Records; readonly health: Pick<HealthChecks, 'nodeRolls'>},
): Promise<ReadonlyMap<ReleaseId, Decision>> {
  const left = new Set(observed.filter(isLeftBehind).map(({release}) => release))
  const candidates = actions.filter(({kind, release}) => kind === 'unchanged' && left.has(release))
  const decisions = await mapParallel(candidates, async ({release}) => {
    const stored = await records.stored(release)
    const objects = annotatedObjects(stored?.manifest ?? '', ROLL)
    const rolls = await health.nodeRolls(releaseNamespace(release), objects).catch(ignoreForbidden)
    const nodes = (rolls ?? []).flatMap(({outdated}) => outdated.map(({node}) => node))
    const reason = `nodes that were left behind are back: ${nodes.join(', ')}`
    return nodes.length === 0 ? [] : [[release, {kind: 'await', reasons: [reason]} as Decision] as const]
  })
  return new Map(decisions.flat())
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
