import type {ReleaseId} from '../../release.ts'
import type {ReleaseStatus} from '../../verbs/observation/release-status.ts'
import type {StatusLook} from '../../verbs/observation/watch-status.ts'

/** What a look at the cluster found that the one before did not. */
export type StatusChange =
  | {readonly type: 'release-seen' | 'release-changed'; readonly at: string; readonly release: ReleaseStatus}
  | {readonly type: 'release-gone'; readonly at: string; readonly release: Pick<ReleaseStatus, 'release'>}
  | {readonly type: 'cluster-lost'; readonly at: string; readonly problem: string}
  | {readonly type: 'cluster-found'; readonly at: string}

/** Tells looks apart: each is given once, in their order. */
export function statusChanges(): (look: StatusLook) => readonly StatusChange[] {
  let known = new Map<ReleaseId, string>()
  let lost: string | undefined
  return (look) => {
    const at = look.at.toISOString()
    if ('problem' in look) {
      const {message} = look.problem
      if (lost === message) return []
      lost = message
      return [{type: 'cluster-lost', at, problem: message}]
    }
    const found: readonly StatusChange[] = lost === undefined ? [] : [{type: 'cluster-found', at}]
    lost = undefined
    const before = known
    const rows = look.report.releases
    known = new Map(rows.map((row) => [row.release, JSON.stringify(row)]))
    const changed = rows
      .filter((row) => before.get(row.release) !== known.get(row.release))
      .map((row): StatusChange => {
        const type = before.has(row.release) ? 'release-changed' : 'release-seen'
        return {type, at, release: row}
      })
    const gone = [...before.keys()]
      .filter((release) => !known.has(release))
      .map((release): StatusChange => ({type: 'release-gone', at, release: {release}}))
    return [...found, ...changed, ...gone]
  }
}
