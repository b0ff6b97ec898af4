/** The lines of manual pages, in the macros of man(7) that groff and mandoc know. */

/** Text with roff's special characters escaped: backslashes, and the first character of a line. */
export function roffText(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('`', '\\(ga')
    .replaceAll("'", '\\(aq')
    .replaceAll(/^\./gm, '\\&.')
}

export function bold(text: string): string {
  return `\\fB${roffText(text)}\\fR`
}

export interface ManPage {
  /** `kk-deploy.1` */
  readonly file: string
  readonly text: string
}

/** The metadata of all pages. */
export interface ManVersion {
  readonly version: string
  /** The date of the version. */
  readonly date: Date
}

interface PageHead extends ManVersion {
  readonly name: string
  readonly section: 1 | 5
  /** A one-line description, as `whatis` shows it. */
  readonly summary: string
}

/** A page of sections: a title, and roff. Empty sections are omitted. */
export function manPage(
  {name, section, summary, version, date}: PageHead,
  sections: readonly (readonly [string, string])[],
): ManPage {
  const day = date.toISOString().slice(0, 10)
  const head = `.TH ${name.toUpperCase()} ${section} ${day} "kk ${version}" "kk"`
  const parts = [['NAME', `${roffText(name)} \\- ${roffText(summary)}`] as const, ...sections]
  const text = parts.filter(([, body]) => body !== '').map(([title, body]) => `.SH ${title}\n${body}`)
  return {file: `${name}.${section}`, text: `${[head, ...text].join('\n')}\n`}
}

/** A description for each of several words, such as flags. The words are already roff. */
export function definitions(entries: readonly (readonly [string, string])[]): string {
  return entries.map(([term, text]) => `.TP\n${term}\n${roffText(text)}`).join('\n')
}

/** Lines without reformatting. */
export function literal(lines: readonly string[]): string {
  return ['.PP', '.RS 4', '.nf', ...lines.map(roffText), '.fi', '.RE'].join('\n')
}

/** Other pages, each with its section. */
export function seeAlso(pages: readonly (readonly [string, number])[]): string {
  return pages.map(([name, section]) => `.BR ${roffText(name)} (${section})`).join(' ,\n')
}
