import {diffLines} from 'diff'
import type {DriftedField} from '../../plan/drift/drifted-object.ts'
import type {Palette} from '../colour.ts'
import {plainLine} from '../text/plain.ts'

const INDENT = '      '
/** Of a text that differs in more lines, these are shown. */
const MOST_LINES = 12
const LONGEST = 100

/** One field that drifted: both values, or the lines that differ, and who manages it. */
export function fieldLines(field: DriftedField, palette: Palette): readonly string[] {
  const {path, live, manifest, masked, manager} = field
  const by = manager === undefined ? [] : [palette.change(`conflict: managed by ${manager}`)]
  if (masked) return [INDENT + [`${path}: differs ${palette.quiet('(masked)')}`, ...by].join(', ')]
  if (typeof live === 'string' && typeof manifest === 'string' && `${live}${manifest}`.includes('\n'))
    return [INDENT + [`${path}:`, ...by].join(' '), ...textLines(live, manifest, palette)]
  const values = `${valueText(live)}, manifest: ${valueText(manifest)}`
  return [INDENT + [`${path}: ${values}`, ...by].join(', ')]
}

function valueText(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = plainLine(typeof value === 'string' && value !== '' ? value : JSON.stringify(value))
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

function textLines(live: string, manifest: string, palette: Palette): readonly string[] {
  const lines = diffLines(live, manifest).flatMap(({added, removed, value}) => {
    if (!added && !removed) return []
    const sign = added ? palette.good('manifest') : palette.bad('live    ')
    const texts = value.replace(/\n$/, '').split('\n')
    return texts.map((text) => `${INDENT}  ${sign} ${palette.quiet('|')} ${plainLine(text)}`)
  })
  if (lines.length === 0) return [`${INDENT}  differs only in what is masked`]
  const more = lines.length - MOST_LINES
  return more > 0 ? [...lines.slice(0, MOST_LINES), `${INDENT}  and ${more} lines more`] : lines
}
