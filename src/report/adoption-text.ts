import {usersText} from '../plan/adoption.ts'
import type {ValueChange} from '../plan/changes/value-changes.ts'
import type {Adoption, PlannedAdoption} from '../verbs/change/adopt.ts'
import type {Palette} from './colour.ts'
import {diffText} from './plan/diff-text.ts'
import {planHead} from './plan/plan-text.ts'
import {pairs} from './table.ts'
import {counted} from './text/list.ts'
import {plainLine} from './text/plain.ts'
import type {Part, View} from './text/view.ts'

/** Returns what the next deploy would change in each adopted release. */
export function adoptionText(planned: PlannedAdoption, palette: Palette): View {
  const {plan, adoptions, alreadyOwned, diffs, redact} = planned
  const {environment, notes = []} = plan
  return [
    planHead(plan, palette),
    '',
    ...alreadyOwned.map((release) => `${palette.quiet('=')} ${release} belongs to "${environment}" already`),
    ...adoptions.flatMap((adoption): readonly Part[] => {
      const diff = diffs.filter(({release}) => release === adoption.release)
      const isShown = adoption.objects.length > 0
      const diffLines = () => diffText(diff, {palette, redact}).split('\n')
      return [...adoptionParts(adoption, palette), ...(isShown ? ['', diffLines] : [])]
    }),
    ...notes.map((note) => `${palette.strong('note')}: ${note}`),
    ...(adoptions.length === 0 ? [] : [meaning(planned)]),
  ]
}

function meaning({deployRefusal}: PlannedAdoption): string {
  const next = deployRefusal
    ? 'the next deploy will be refused, as the note says'
    : 'what differs comes with the next deploy'
  return `adopting writes labels on the record that helm keeps, and changes no value of an object; ${next}`
}

function adoptionParts(adoption: Adoption, palette: Palette): readonly Part[] {
  const {release, revision, status, from, tool, users, chart, values, objects, same} = adoption
  const whose = from === undefined ? '' : `, of the environment "${from}"`
  const driver = tool === undefined ? '' : `, handed over to ${tool}`
  const title = `${palette.accent('@')} ${palette.strong(release)}  ${palette.quiet(`revision ${revision}, ${status}${whose}${driver}`)}`
  const stays = from === undefined ? '' : ', not handed over'
  const used = users.length === 0 ? [] : [['used by', `${usersText(users)}${stays}`] as const]
  if (same) return [`${title}  ${palette.good('as the environment wants it')}`, pairs(used, {indent: '    '})]
  const version =
    chart.before === chart.after ? `${chart.after} (same version)` : `${chart.before} → ${chart.after}`
  const differences = ({length}: readonly unknown[]) =>
    length === 0 ? 'none differs' : counted(length, 'difference')
  const rows = [
    ...used,
    ['chart', `${chart.name} ${version}`],
    ['values', differences(values)],
    ['objects', differences(objects)],
  ] as const
  const changes = values.map((change) => `      ${valueText(change, palette)}`)
  return [title, pairs(rows, {indent: '    ', below: ([name]) => (name === 'values' ? changes : [])})]
}

function valueText({path, change, before, after, masked}: ValueChange, palette: Palette): string {
  const sign = {added: palette.good('+'), changed: palette.change('~'), removed: palette.bad('-')}[change]
  const name = plainLine(path)
  if (masked) return `${sign} ${name} ${palette.quiet('(masked)')}`
  if (before === undefined && after === undefined) return `${sign} ${name}`
  if (change === 'changed') return `${sign} ${name}: ${shown(before)} → ${shown(after)}`
  return `${sign} ${name}: ${shown(change === 'added' ? after : before)}`
}

const MAX_VALUE_LENGTH = 80

function shown(value: string | number | boolean | undefined): string {
  if (value === undefined) return '(a map or a list)'
  const text = plainLine(value === '' ? '""' : String(value))
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text
}

/** Returns the adoptions as a document for programs; secrets are masked. */
export function adoptionDocument({plan, adoptions, alreadyOwned}: PlannedAdoption) {
  const {environment, cluster, notes = []} = plan
  return {environment, context: cluster.context, adoptions, ours: alreadyOwned, notes}
}
