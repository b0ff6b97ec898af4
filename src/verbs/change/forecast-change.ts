import {asKkError, KkError} from '../../base/errors.ts'
import {isMap} from '../../base/values.ts'
import {upgradedObjects} from '../../kubernetes/manifest/manifest.ts'
import type {StoredRelease} from '../../kubernetes/records/release-record.ts'
import type {RunRecord, RunRecords} from '../../kubernetes/records/runs.ts'
import type {ActionForecast} from '../../plan/forecast/action-forecast.ts'
import {forecast} from '../../plan/forecast/forecast.ts'
import type {Plan} from '../../plan/plan.ts'
import type {Rendered} from '../../prepare/rendering/render.ts'
import type {ReleaseId} from '../../release.ts'
import {readNamedFile} from '../../state/files/named-file.ts'

/** Runs from which the time of an action follows, the newest first. */
export type PastRuns = readonly Pick<RunRecord, 'releases'>[]

interface Sources {
  readonly cluster: {readonly runs: Pick<RunRecords, 'list'>}
  /** Those of other clusters. */
  readonly pastRuns: PastRuns
}

/**
 * Returns what the actions of a change take, by earlier runs of the environment if their records can be read,
 * and who notices them.
 */
export async function forecastChange(
  {environment, actions}: Plan,
  {rendered, previous}: Compared,
  {cluster, pastRuns}: Sources,
): Promise<readonly ActionForecast[]> {
  const manifests = new Map(
    [...rendered].map(([release, after]) => [
      release,
      {earlier: (previous.get(release) ?? []).map(upgradedObjects), after},
    ]),
  )
  const own = await cluster.runs.list(environment).catch((error: unknown) => {
    // A forecast is worth no failure.
    if (asKkError(error).code === 'KK_BUG') throw error
    return []
  })
  return forecast({actions, manifests, records: [...own, ...pastRuns]})
}

interface Compared {
  readonly rendered: Rendered
  /** The revisions of each release that may be running; see `previousRevisions`. */
  readonly previous: ReadonlyMap<ReleaseId, readonly StoredRelease[]>
}

/**
 * Reads the runs in a file, as `kk history --output json` prints them; none without one. Throws `KK_FILE`.
 */
export async function readPastRuns(file: string | undefined): Promise<PastRuns> {
  if (file === undefined) return []
  const runs = runsIn(await readNamedFile(file))
  if (runs) return runs
  throw new KkError('KK_FILE', `${file}: expected the runs of an environment, found something else`, {
    hint: `kk history FILE --output json >${file}`,
  })
}

function runsIn(text: string): PastRuns | undefined {
  try {
    const document: unknown = JSON.parse(text)
    const runs = isMap(document) && Array.isArray(document.runs) ? document.runs : undefined
    return runs?.every(isRun) ? runs : undefined
  } catch {
    return undefined
  }
}

function isRun(run: unknown): run is Pick<RunRecord, 'releases'> {
  return isMap(run) && Array.isArray(run.releases) && run.releases.every(isRunRelease)
}

function isRunRelease(entry: unknown): boolean {
  if (!isMap(entry)) return false
  const {release, kind, outcome, seconds} = entry
  const texts = [release, kind, outcome].every((each) => typeof each === 'string')
  return texts && (seconds === undefined || typeof seconds === 'number')
}
