import type {ReleaseStatus} from '../verbs/observation/status.ts'
import type {Palette} from './colour.ts'
import {blameText} from './run/run-words.ts'
import {table} from './table.ts'
import {type Labels, releaseLabels} from './text/label.ts'
import {plainLines} from './text/plain.ts'

const HEADINGS = [
  'release',
  'revision',
  'status',
  'health',
  'inputs',
  'chart',
  'owner',
  'requires',
  'dependents',
]
const NOTHING = '–'

/** A table of releases for people, then, for each that is not healthy, what is to blame. */
export function statusText(rows: readonly ReleaseStatus[], palette: Palette): string {
  if (rows.length === 0) return 'no releases\n'
  const labels = releaseLabels(rows.map(({release}) => release))
  const cells = rows.map((row) => statusCells(row, labels, palette))
  const lines = table([HEADINGS.map(palette.strong), ...cells], {right: [1, 7, 8]})
  const reasons = rows.flatMap((row) => reasonLines(row, labels, palette))
  return `${[...lines, ...(reasons.length === 0 ? [] : ['', ...reasons])].join('\n')}\n`
}

function statusCells(row: ReleaseStatus, labels: Labels, palette: Palette): readonly string[] {
  return [
    labels(row.release),
    row.revision === 0 ? NOTHING : String(row.revision),
    row.status === 'deployed' ? row.status : palette.change(row.status),
    healthText(row.health, palette),
    row.inputs === 'changed' ? palette.change(row.inputs) : palette.quiet(row.inputs),
    palette.quiet(`${row.chart} ${row.version}`.trim()),
    row.owner ?? NOTHING,
    String(row.requires.length),
    String(row.dependents.length),
  ]
}

function healthText(health: ReleaseStatus['health'], palette: Palette): string {
  if (health === undefined) return palette.quiet(NOTHING)
  if (health.state === 'healthy') return palette.good('healthy')
  return health.state === 'failed' ? palette.bad('failed') : palette.change('waiting')
}

function reasonLines({release, health}: ReleaseStatus, labels: Labels, palette: Palette): readonly string[] {
  if (health === undefined || health.state === 'healthy') return []
  return health.blames.flatMap((blame) => [
    `${labels(release)}: ${blameText(blame)}`,
    ...(blame.log ?? []).flatMap(plainLines).map((line) => `  ${palette.quiet('|')} ${line}`),
  ])
}
