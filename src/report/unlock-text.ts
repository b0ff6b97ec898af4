import type {Evidence} from '../plan/pending/evidence.ts'
import type {Unlocking} from '../verbs/change/unlock.ts'
import type {Palette} from './colour.ts'
import {pairs} from './table.ts'
import {durationText} from './text/duration.ts'
import type {View} from './text/view.ts'

/** Returns the document of `kk unlock --output json`. */
export function unlockDocument(
  {record, environment, writtenAt, lease, evidence}: Unlocking,
  unlocked: boolean,
) {
  return {
    release: record.release,
    revision: record.revision,
    status: record.status,
    environment,
    writtenAt: writtenAt === undefined ? null : new Date(writtenAt).toISOString(),
    holder: lease?.holder ?? null,
    evidence,
    unlocked,
  }
}

/** Returns the evidence about a release before it is unlocked. */
export function unlockText(unlocking: Unlocking, context: string, {strong, change}: Palette): View {
  const {record, environment, writtenAt, now, lease, evidence} = unlocking
  const {release, revision, status} = record
  const written =
    writtenAt === undefined
      ? 'unknown'
      : `${new Date(writtenAt).toISOString()}, ${durationText((now - writtenAt) / 1000)} ago`
  const rows = [
    ['cluster', context],
    ['release', `${release} of the environment "${environment}"`],
    ['revision', `${revision}, ${change(status)}`],
    ['written', written],
    ['held by', lease?.holder ?? 'no one'],
    ['left by', leftBy(evidence)],
  ] as const
  return [
    pairs(rows.map(([name, value]) => [strong(name), value])),
    'The revision is marked failed, and the next deploy upgrades it; nothing is uninstalled.',
    'Should a helm still work on it, two would write at once: be sure that none does.',
  ]
}

function leftBy(evidence: Evidence): string {
  switch (evidence.state) {
    case 'foreign':
      return 'nothing shows that kk did it: ask who ran helm'
    case 'stale':
      return `run ${evidence.run}, ${evidence.why}: kk deploy would recover it by itself`
    case 'unknown':
      return `run ${evidence.run} of ${evidence.holder}, which cannot be seen from here; its time ends at ${new Date(evidence.until).toISOString()}`
    case 'running':
      return `run ${evidence.run}, which works on it`
  }
}
