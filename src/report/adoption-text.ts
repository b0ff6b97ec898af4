import {usersText} from '../plan/adoption.ts'
import type {ValueChange} from '../plan/changes/value-changes.ts'
import type {Adoption, PlannedAdoption} from '../verbs/change/adopt.ts'
import type {Palette} from './colour.ts'
import {diffText} from './plan/diff-text.ts'
import {counted} from './text/list.ts'
import {plainLine} from './text/plain.ts'

/** Returns the text of what each adopted release would become by the next deploy. */
export function adoptionText(planned: PlannedAdoption, palette: Palette): string {
  const {plan, adoptions, ours, diffs, redact} = planned
  const {cluster, environment, file, notes = []} = plan
  const lines = [
    `${palette.strong('cluster')}      ${cluster.context} (${cluster.server}, Kubernetes ${cluster.version})`,
    `${palette.strong('environment')}  ${environment} (${file})`,
    '',
    ...ours.map((release) => `${palette.quiet('=')} ${release} belongs to "${environment}" already`),
    ...adoptions.flatMap((adoption) => {
      const diff = diffs.filter(({release}) => release === adoption.release)
      const isShown = adoption.objects.length > 0
      return [
        ...adoptionLines(adoption, palette),
        ...(isShown ? ['', diffText(diff, {palette, redact})] : []),
      ]
    }),
    ...notes.map((note) => `${palette.strong('note')}: ${note}`),
    ...(adoptions.length === 0 ? [] : [meaning(planned)]),
  ]
  return `${lines.join('\n')}\n`
}

function meaning({deployRefusal}: PlannedAdoption): string {
  const next = deployRefusal
    ? 'the next deploy will be refused, as the note says'
    : 'what differs comes with the next deploy'
  return `adopting writes labels on the record that helm keeps, and changes no value of an object; ${next}`
}

function adoptionLines(adoption: Adoption, palette: Palette): readonly string[] {
  const {release, revision, status, from, tool, users, chart, values, objects, same} = adoption
  const whose = from === undefined ? '' : `, of the environment "${from}"`
  const driver = tool === undefined ? '' : `, handed over to ${tool}`
  const title = `${palette.accent('@')} ${palette.strong(release)}  ${palette.quiet(`revision ${revision}, ${status}${whose}${driver}`)}`
  const stays = from === undefined ? '' : ', not handed over'
  const used = users.length === 0 ? [] : [`    used by  ${usersText(users)}${stays}`]
  if (same) return [`${title}  ${palette.good('as the environment wants it')}`, ...used]
  const version =
    chart.before === chart.after ? `${chart.after} (same version)` : `${chart.before} → ${chart.after}`
  return [
    title,
    ...used,
    `    chart    ${chart.name} ${version}`,
    `    values   ${values.length === 0 ? 'none differs' : counted(values.length, 'difference')}`,
    ...values.map((change) => `      ${valueText(change, palette)}`),
    `    objects  ${objects.length === 0 ? 'none differs' : counted(objects.length, 'difference')}`,
  ]
}

function valueText({path, change, before, after, masked}: ValueChange, palette: Palette): string {
  const sign = {added: palette.good('+'), changed: palette.change('~'), removed: palette.bad('-')}[change]
  const name = plainLine(path)
  if (masked) return `${sign} ${name} ${palette.quiet('(masked)')}`
  if (before === undefined && after === undefined) return `${sign} ${name}`
  if (change === 'changed') return `${sign} ${name}: ${shown(before)} → ${shown(after)}`
  return `${sign} ${name}: ${shown(change === 'added' ? after : before)}`
}

const LONGEST = 80

function shown(value: string | number | boolean | undefined): string {
  if (value === undefined) return '(a map or a list)'
  const text = plainLine(value === '' ? '""' : String(value))
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

/** Returns the adoptions as a document for programs; secrets are masked. */
export function adoptionDocument({plan, adoptions, ours}: PlannedAdoption) {
  const {environment, cluster, notes = []} = plan
  return {environment, context: cluster.context, adoptions, ours, notes}
}
