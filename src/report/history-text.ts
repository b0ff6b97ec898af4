import type {RunEntry, RunState} from '../kubernetes/records/run-entry.ts'
import type {RunRelease} from '../kubernetes/records/runs.ts'
import type {ReleaseHistory, RevisionEntry} from '../verbs/observation/history.ts'
import type {Palette} from './colour.ts'
import {type HeadedColumns, table} from './table.ts'
import type {Labels} from './text/label.ts'
import {plainLine} from './text/plain.ts'
import type {View} from './text/view.ts'

const NOTHING = '–'

/** Returns runs, newest first, with the environment of each if there are several. */
export function runsText(runs: readonly RunEntry[], palette: Palette): View {
  if (runs.length === 0) return 'no runs\n'
  return table(runs, runColumns(runs, palette), {headColour: palette.strong})
}

/** Returns the columns of runs, with the environment of each if there are several. */
export function runColumns(runs: readonly RunEntry[], palette: Palette): HeadedColumns<RunEntry> {
  const several = new Set(runs.map(({environment}) => environment)).size > 1
  return {
    run: ({id}) => id,
    when: ({startedAt}) => timeText(startedAt),
    ...(several && {environment: ({environment}: RunEntry) => environment}),
    verb: ({verb}) => verb,
    who: ({who}) => who,
    outcome: ({state}) => stateText(state, palette),
    releases: ({releases}) => outcomesText(releases),
    why: ({message}) => (message === undefined ? NOTHING : plainLine(message)),
  }
}

/** Returns the revisions of a release, newest first. */
export function revisionsText({release, owner, revisions}: ReleaseHistory, palette: Palette): View {
  const {quiet, strong} = palette
  const whose = owner === undefined ? 'not installed by kk' : `environment ${owner}`
  return [
    `${strong(release)}  ${quiet(whose)}`,
    table(revisions, revisionColumns(palette), {headColour: strong}),
  ]
}

/** Returns the columns of the revisions of a release. */
export function revisionColumns(palette: Palette): HeadedColumns<RevisionEntry> {
  const {good, bad} = palette
  return {
    revision: {cell: ({revision}) => String(revision), align: 'right'},
    when: ({at}) => (at === undefined ? NOTHING : timeText(at)),
    status: ({status}) => (status === 'deployed' ? good(status) : status),
    gate: ({gate}) => gateText(gate, palette),
    chart: ({note, chart, version}) => (note === undefined ? `${chart} ${version}` : bad(note)),
    'app version': ({appVersion}) => appVersion || NOTHING,
    run: ({run}) => run ?? NOTHING,
  }
}

/** Returns the columns of the releases that a run must change, as far as its record has them. */
export function runReleaseColumns(labels: Labels, palette: Palette): HeadedColumns<RunRelease> {
  const {good, bad, change, quiet, accent} = palette
  const colours = {waiting: quiet, running: accent, succeeded: good, failed: bad, skipped: change}
  return {
    release: ({release}) => labels(release),
    action: ({kind}) => kind,
    outcome: ({outcome, code}) => colours[outcome](code === undefined ? outcome : `${outcome} (${code})`),
    'revision before': {cell: ({before}) => (before === 0 ? NOTHING : String(before)), align: 'right'},
    'revision after': {cell: ({after}) => (after === undefined ? NOTHING : String(after)), align: 'right'},
    deleted: ({deleted = []}) => (deleted.length === 0 ? NOTHING : deleted.map(plainLine).join(', ')),
  }
}

/** Returns a time in UTC, so that it is equal on every machine: `2026-11-21 08:30:00Z`. */
export function timeText(iso: string): string {
  const time = new Date(iso)
  return Number.isNaN(time.getTime()) ? iso : `${time.toISOString().slice(0, 19).replace('T', ' ')}Z`
}

export function stateText(state: RunState, palette: Palette): string {
  if (state === 'succeeded') return palette.good(state)
  if (state === 'failed' || state === 'killed') return palette.bad(state)
  return palette.change(state === 'not-ended' ? 'not ended' : state)
}

function gateText(gate: RevisionEntry['gate'], palette: Palette): string {
  if (gate === 'passed') return palette.good('passed')
  return gate === 'unknown' ? palette.quiet(NOTHING) : palette.change('not passed')
}

/** The number of objects that are named. */
const NAMED = 3

/** Returns the outcomes of a run: `1 succeeded; deleted ConfigMap/extra`. */
function outcomesText(releases: readonly RunRelease[]): string {
  const deleted = releases.flatMap((each) => each.deleted ?? [])
  if (deleted.length === 0) return countsText(releases)
  const more = deleted.length > NAMED ? [`${deleted.length - NAMED} more`] : []
  const names = [...deleted.slice(0, NAMED).map(plainLine), ...more].join(', ')
  return `${countsText(releases)}; deleted ${names}`
}

/** Returns the counts of the outcomes: `2 succeeded, 1 failed`. */
function countsText(releases: readonly RunRelease[]): string {
  const words = ['succeeded', 'failed', 'skipped', 'running', 'waiting'] as const
  const counts = words.map((word) => [releases.filter(({outcome}) => outcome === word).length, word] as const)
  const texts = counts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`)
  return texts.length === 0 ? NOTHING : texts.join(', ')
}
