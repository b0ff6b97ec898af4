import {structuredPatch} from 'diff'
import type {OverriddenChart, ShownOverrides} from '../../overrides/service.ts'
import type {Palette} from '../colour.ts'
import {table} from '../table.ts'
import {plainLine} from '../text/plain.ts'

/** The active charts for people. */
export function chartsText(charts: readonly OverriddenChart[], {quiet}: Palette): string {
  if (charts.length === 0)
    return 'no chart is active: name an environment with -e, or charts: in a facts file with --facts\n'
  const rows = charts.map(({name, namespaces}) => [name, namespaces.join(', ')])
  return lines(table([[quiet('CHART'), quiet('NAMESPACES')], ...rows]))
}

/** The overrides of one chart, layer by layer, from the weakest to what comes out. */
export function overridesText(shown: Omit<ShownOverrides, 'etag'>, palette: Palette): string {
  const {systemOverrides, userOverrides, combinedOverrides} = shown
  return lines([
    titleOf(shown, palette),
    ...section('system overrides', systemOverrides, palette),
    ...section('user overrides', userOverrides, palette),
    ...section('combined', combinedOverrides, palette),
  ])
}

/** The user overrides after an update. */
export function updatedText(
  shown: Pick<ShownOverrides, 'name' | 'namespace' | 'userOverrides'>,
  palette: Palette,
): string {
  return lines([titleOf(shown, palette), ...section('user overrides', shown.userOverrides, palette)])
}

export interface OverridesChange {
  readonly name: string
  readonly namespace: string
  /** YAML; "" for none. */
  readonly before: string
  readonly after: string
}

/** What a change would do to the user overrides of a chart, line by line. */
export function changeText(change: OverridesChange, palette: Palette): string {
  const {before, after} = change
  if (before === after) {
    const secrets = before.includes('***') ? '; secrets are compared with --show-secrets only' : ''
    return lines([titleOf(change, palette), `nothing would change in the user overrides${secrets}`])
  }
  return lines([
    titleOf(change, palette),
    'the user overrides would change; nothing was changed:',
    ...differenceLines(before, after, palette),
  ])
}

/** The lines that differ, with all that stand around them. */
export function differenceLines(before: string, after: string, {good, bad}: Palette): readonly string[] {
  const {hunks} = structuredPatch('', '', before, after, '', '', {context: Number.MAX_SAFE_INTEGER})
  return hunks
    .flatMap((hunk) => hunk.lines)
    .filter((line) => !line.startsWith('\\'))
    .map((line) => {
      const [sign, text] = [line.slice(0, 1), line.slice(1)]
      if (sign === '+') return good(`  + ${text}`)
      return sign === '-' ? bad(`  - ${text}`) : `    ${text}`
    })
}

function titleOf({name, namespace}: {readonly name: string; readonly namespace: string}, {strong}: Palette) {
  return `${strong(plainLine(name))} in ${plainLine(namespace)}`
}

function section(title: string, yaml: string, {accent, quiet}: Palette): readonly string[] {
  const body = yaml.trimEnd().split('\n')
  return ['', accent(title), ...(yaml === '' ? [quiet('  none')] : body.map((line) => `  ${line}`.trimEnd()))]
}

function lines(all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join('')
}
