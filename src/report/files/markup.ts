/** Text that is XML or HTML. Only `markup` and `foreignMarkup` make it. */
export interface Markup {
  readonly markup: string
}

type Insertable = string | number | Markup | readonly Markup[]

/**
 * XML or HTML from a template. What is inserted into it is text, and escaped, unless it was made by `markup`
 * itself; so it is safe between tags and inside quoted attributes.
 */
export function markup(parts: TemplateStringsArray, ...inserted: readonly Insertable[]): Markup {
  return {markup: String.raw({raw: parts}, ...inserted.map(inserting))}
}

/** Takes text as markup that another program has made and escaped, such as Graphviz. */
export function foreignMarkup(text: string): Markup {
  return {markup: text}
}

function inserting(value: Insertable): string {
  if (typeof value === 'string') return escapeText(value)
  if (typeof value === 'number') return String(value)
  if ('markup' in value) return value.markup
  return value.map((part) => part.markup).join('')
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  // As it stands, a parser would read a line feed.
  '\r': '&#13;',
}

/** XML 1.0 has no way to write these characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is to be found
const IMPOSSIBLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/gu

function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(IMPOSSIBLE, '\ufffd')
    .replaceAll(/[&<>"'\r]/gu, (character) => ESCAPES[character]!)
}
