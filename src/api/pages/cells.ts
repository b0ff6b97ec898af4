import type {Palette} from '../../report/colour.ts'
import {type Markup, markup} from '../../report/files/markup.ts'
import type {Sheet} from '../../report/table.ts'

/** Control characters, which `plainLine` removes from foreign text: the begin of a role and its end. */
const BEGIN = '\u0002'
const END = '\u0003'

const CLASSES = {
  g: 'good',
  b: 'bad',
  c: 'change',
  a: 'accent',
  q: 'quiet',
  s: 'strong',
} as const satisfies Record<string, keyof Palette>

/** The palette of text for `rich`, so that a page shows what a terminal shows, in the same roles. */
export const PAGE_PALETTE = Object.fromEntries(
  Object.entries(CLASSES).map(([letter, role]) => [role, (text: string) => `${BEGIN}${letter}${text}${END}`]),
) as unknown as Palette

interface NamedRole {
  readonly role: keyof Palette
  readonly text: string
}

/** Returns what `write` writes in one role of its palette, and that role; `quiet` without any. */
export function roleOf(write: (palette: Palette) => string): NamedRole {
  const written = write(PAGE_PALETTE)
  if (!written.startsWith(BEGIN)) return {role: 'quiet', text: written}
  return {role: roleOfLetter(written.slice(1)), text: written.slice(2, -END.length)}
}

function roleOfLetter([letter = '']: string): keyof Palette {
  return CLASSES[letter as keyof typeof CLASSES] ?? 'quiet'
}

/** The marks of a role in a text. */
const MARKS = new RegExp(`(${BEGIN}[a-z]|${END})`)

/** Returns a text that was written with `PAGE_PALETTE` as markup; line feeds become line breaks. */
export function rich(text: string): Markup {
  return markup`${text.split('\n').map((line, at) => markup`${at === 0 ? markup`` : markup`<br>`}${richLine(line)}`)}`
}

/** Returns a paragraph for each text that was written with `PAGE_PALETTE`, or has no roles. */
export function paragraphs(texts: readonly string[]): Markup {
  return markup`${texts.map(
    (text) => markup`<p>${rich(text)}</p>
`,
  )}`
}

/** Returns lines that were written with `PAGE_PALETTE` as a block that keeps their blanks. */
export function richBlock(lines: readonly string[]): Markup {
  return markup`${lines.map(
    (line) => markup`${richLine(line)}
`,
  )}`
}

function richLine(line: string): Markup {
  const open: string[] = []
  const parts = line.split(MARKS).map((part) => {
    if (part.startsWith(BEGIN)) {
      open.push(roleOfLetter(part.slice(1)))
      return markup``
    }
    if (part === END) {
      open.pop()
      return markup``
    }
    if (part === '' || open.length === 0) return markup`${part}`
    return markup`<span class="${open.join(' ')}">${part}</span>`
  })
  return markup`${parts}`
}

interface TableOptions {
  /** The id of the heading that names the table. */
  readonly labelledBy: string
  /** Returns the address of a row: its cell in column `named` links to it. */
  readonly address?: (row: number) => string | undefined
  /** The column that names the row; the first by default. */
  readonly named?: number
}

/** Returns a table with its heads, whose cells were written with `PAGE_PALETTE`. */
export function sheetTable(
  {heads, rows}: Sheet,
  {labelledBy, address = () => undefined, named = 0}: TableOptions,
): Markup {
  return markup`<div class="scroll" role="group" aria-labelledby="${labelledBy}" tabindex="0"><table>
<thead><tr>${heads.map((head) => markup`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map(
    (
      cells,
      row,
    ) => markup`<tr>${cells.map((cell, at) => (at === named ? rowHead(cell, address(row)) : markup`<td>${rich(cell)}</td>`))}</tr>
`,
  )}</tbody></table></div>`
}

function rowHead(cell: string, address: string | undefined): Markup {
  const name = rich(cell)
  return markup`<th scope="row">${address === undefined ? name : markup`<a href="${address}">${name}</a>`}</th>`
}
