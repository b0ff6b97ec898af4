import {structuredPatch} from 'diff'
import type {ImportedContent, OverriddenChart, ShownOverrides} from '../../overrides/service.ts'
import type {AuditEntry} from '../../overrides/user/store.ts'
import type {Palette} from '../colour.ts'
import {type Columns, table} from '../table.ts'
import {plainLine} from '../text/plain.ts'
import {blocks, type Part, type View} from '../text/view.ts'
import {textWidth} from '../text/width.ts'

/** Returns the active charts with their namespaces. */
export function chartsText(charts: readonly OverriddenChart[], {quiet}: Palette): View {
  if (charts.length === 0)
    return 'no chart is active: name an environment with -e, or charts: in a facts file with --facts\n'
  const columns: Columns<OverriddenChart> = {
    CHART: ({name}) => name,
    NAMESPACES: ({namespaces}) => namespaces.join(', '),
  }
  return table(charts, columns, {headColour: quiet})
}

/** Returns the overrides of one chart, layer by layer, from the weakest to the combined ones. */
export function overridesText(shown: Omit<ShownOverrides, 'etag'>, palette: Palette): readonly Part[] {
  const {systemOverrides, userOverrides, combinedOverrides} = shown
  return [
    titleOf(shown, palette),
    ...section('system overrides', systemOverrides, palette),
    ...section('user overrides', userOverrides, palette),
    ...section('combined', combinedOverrides, palette),
  ]
}

/** Returns the user overrides after an update. */
export function updatedText(
  shown: Pick<ShownOverrides, 'name' | 'namespace' | 'userOverrides'>,
  palette: Palette,
): View {
  return [titleOf(shown, palette), ...section('user overrides', shown.userOverrides, palette)]
}

export interface OverridesChange {
  readonly name: string
  readonly namespace: string
  /** The user overrides as YAML; "" for none. */
  readonly before: string
  readonly after: string
}

/** Returns what a change would do to the user overrides of a chart, line by line. */
export function changeText(change: OverridesChange, palette: Palette): View {
  const {before, after} = change
  if (before === after) {
    const secrets = before.includes('***') ? '; secrets are compared with --show-secrets only' : ''
    return [titleOf(change, palette), `nothing would change in the user overrides${secrets}`]
  }
  return [
    titleOf(change, palette),
    'the user overrides would change; nothing was changed:',
    ...differenceLines(before, after, palette),
  ]
}

/** Returns all lines of both strings, with the lines that differ marked. */
function differenceLines(before: string, after: string, {good, bad}: Palette): readonly string[] {
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

/**
 * Returns the changes of overrides, newest first, each with its author, its time and the lines that changed.
 */
export function overridesHistoryText(entries: readonly AuditEntry[], palette: Palette): View {
  if (entries.length === 0) return 'these overrides have not been changed\n'
  return blocks(
    entries.map(({at, who, name, namespace, before, after}) => [
      `${palette.strong(plainLine(name))} in ${plainLine(namespace)}  ${palette.quiet(`${at}  ${plainLine(who)}`)}`,
      ...(before === after
        ? ['    only what is secret was changed']
        : differenceLines(before ?? '', after ?? '', palette)),
    ]),
  )
}

/** Returns true where an import changes nothing. */
export function isUnchangedImport({changed, secrets, becomes}: ImportedContent): boolean {
  return changed.length + secrets.length === 0 && becomes === undefined
}

/** Returns what an import changed, or would change, as text. */
export function importedText(imported: ImportedContent, isDryRun: boolean): string {
  if (isUnchangedImport(imported)) return 'the store has all of this already\n'
  const {changed, secrets, becomes} = imported
  const verb = isDryRun ? 'would ' : ''
  const place = ({name, namespace}: ImportedContent['secrets'][number]) =>
    `${plainLine(name)} in ${plainLine(namespace)}`
  const lines = [
    ...changed.map((each) => `${verb}${each.action} overrides of ${place(each)}\n`),
    ...secrets.map((each) => `${verb}set the secret ${place(each)}\n`),
    ...(becomes === undefined ? [] : [`${isDryRun ? 'would become' : 'became'} the store ${becomes}\n`]),
  ]
  return lines.join('')
}

/** Returns the overrides of one chart as the documents of the command line and the API have them. */
export function overridesDocument(shown: Omit<ShownOverrides, 'etag'>): Record<string, string> {
  return {
    name: shown.name,
    namespace: shown.namespace,
    system_overrides: shown.systemOverrides,
    user_overrides: shown.userOverrides,
    combined_overrides: shown.combinedOverrides,
  }
}

/** Returns the document of an update of one chart. */
export function updatedDocument(
  shown: Pick<ShownOverrides, 'name' | 'namespace' | 'userOverrides'>,
): Record<string, string> {
  return {user_overrides: shown.userOverrides, namespace: shown.namespace, name: shown.name}
}

/**
 * Returns properties as `system helm-override-show` prints them: sorted by name; an empty value makes an
 * empty cell.
 */
export function propertyTable(properties: Readonly<Record<string, string>>): Part {
  const rows = Object.entries(properties).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return prettyTable([['Property', 'Value'], ...rows])
}

/**
 * Returns charts as `system helm-override-list` prints them, with namespaces as Python 2 writes a list of
 * strings.
 */
export function chartTable(charts: readonly OverriddenChart[]): Part {
  const rows = charts.map(({name, namespaces}) => [
    name,
    `[${namespaces.map((namespace) => `u'${namespace}'`).join(', ')}]`,
  ])
  return prettyTable([['chart name', 'overrides namespaces'], ...rows])
}

/** Returns the line that `system helm-override-delete` prints. */
export function deletedText(name: string, namespace: string): string {
  return `Deleted chart overrides for ${name}:${namespace}\n`
}

/**
 * Returns a table as Python's PrettyTable prints it, left-aligned, in any terminal: one frame, the first row
 * as its head. A cell of several lines takes as many rows; the empty line after a final line feed counts,
 * too.
 */
export function prettyTable(rows: readonly (readonly string[])[]): Part {
  const cells = rows.map((row) => row.map((cell) => cell.split('\n')))
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => Math.max(...row[column]!.map(textWidth)))),
  )
  const frame = `+${widths.map((width) => '-'.repeat(width + 2)).join('+')}+`
  const [head = [], ...body] = cells
  return () => [
    frame,
    ...rowLines(head, widths),
    frame,
    ...body.flatMap((row) => rowLines(row, widths)),
    frame,
  ]
}

function rowLines(row: readonly (readonly string[])[], widths: readonly number[]): string[] {
  const height = Math.max(...row.map((lines) => lines.length))
  return Array.from({length: height}, (_, index) => {
    const texts = row.map((lines, column) => padded(lines[index] ?? '', widths[column]!))
    return `| ${texts.join(' | ')} |`
  })
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(width - textWidth(text))
}
