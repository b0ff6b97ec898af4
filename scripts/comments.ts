/**
 * `npm run format` after biome, which leaves comments alone: wraps paragraphs of comments that are wider than
 * a line of code.
 */
import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {execa} from 'execa'

const ROOT = join(import.meta.dirname, '..')
const MAX_COLUMNS = 110

/** Parts of a line of a comment: indentation, mark (`//`, `/**` or `*`), blanks after it, content. */
const LINE = /^( *)(\/\/|\/\*\*|\*(?!\/))( *)(.*)$/

/**
 * Starts a line that does not continue the paragraph above it: item, table, heading, tag, fence, directive.
 */
const STARTS_ALONE = /^([-*|#@<]|\d+\. |```|biome-|eslint-|ts-)/

interface Paragraph {
  readonly indentation: string
  readonly mark: string
  /** Blanks between the mark and the words; an item's further lines are indented below its words. */
  readonly blanks: string
  readonly words: readonly string[]
  /** The lines of the source that it stands for. */
  readonly lines: number
}

/** Returns the source with every paragraph of a comment wrapped that has a line wider than `columns`. */
export function wrapComments(source: string, columns = MAX_COLUMNS): string {
  const lines = source.split('\n').flatMap(openWideBlock(columns))
  const inBlock = blockLines(lines)
  const wrapped: string[] = []
  for (let at = 0; at < lines.length; ) {
    const paragraph = paragraphAt(lines, at, inBlock)
    const original = lines.slice(at, at + paragraph.lines)
    const isWide = original.some((line) => line.length > columns)
    wrapped.push(...(isWide && paragraph.words.length > 0 ? wrap(paragraph, columns) : original))
    at += paragraph.lines
  }
  return wrapped.join('\n')
}

/** Returns for each line whether it is inside a block comment; `*` begins a line of a shell script, too. */
function blockLines(lines: readonly string[]): readonly boolean[] {
  let isInside = false
  return lines.map((line) => {
    const isLineOfBlock = isInside
    if (/^ *\/\*\*/.test(line)) isInside = true
    if (line.includes('*/')) isInside = false
    return isLineOfBlock
  })
}

/**
 * Splits a wide comment of one line, or a wide first or last line of a block, so that the marks have lines
 * for themselves.
 */
function openWideBlock(columns: number): (line: string) => readonly string[] {
  return (line) => {
    const [, indentation, start, content, end] = /^( *)(\/\*\*|\*) (.*?)( ?\*\/)?$/.exec(line) ?? []
    if (line.length <= columns || indentation === undefined || content === undefined) return [line]
    const isStart = start === '/**'
    if (!isStart && end === undefined) return [line]
    const inner = isStart ? `${indentation} ` : indentation
    const opened = [...(isStart ? [`${indentation}/**`] : []), `${inner}* ${content}`]
    return end === undefined ? opened : [...opened, `${inner}*/`]
  }
}

/**
 * Returns the paragraph that begins at the line; a line of code, a blank line and a table are one line
 * without words.
 */
function paragraphAt(lines: readonly string[], at: number, inBlock: readonly boolean[]): Paragraph {
  const [, indentation = '', mark = '', blanks = '', content = ''] = LINE.exec(lines[at] ?? '') ?? []
  const none = {indentation, mark, blanks, words: [], lines: 1}
  const isText = mark === '//' || (mark === '*' && inBlock[at])
  if (!isText || content === '' || blanks.length > 1 || /^([|@<]|```|biome-)/.test(content)) return none
  const item = /^(- |\d+\. )/.exec(content)?.[0] ?? ''
  const texts = [content]
  for (const line of lines.slice(at + 1)) {
    const [, , next, more = '', text = ''] = LINE.exec(line) ?? []
    const continues = next === mark && text !== '' && !STARTS_ALONE.test(text)
    if (!continues || more.length !== blanks.length + item.length) break
    texts.push(text.replace(/ ?\*\/$/, ''))
  }
  return {...none, words: texts.join(' ').split(' '), lines: texts.length}
}

function wrap({indentation, mark, blanks, words}: Paragraph, columns: number): readonly string[] {
  const prefix = `${indentation}${mark}${blanks}`
  const hanging = /^(-|\d+\.)$/.test(words[0] ?? '') ? ' '.repeat((words[0]?.length ?? 0) + 1) : ''
  const wrapped: string[] = []
  let line = ''
  for (const word of words) {
    const longer = line === '' ? `${prefix}${wrapped.length > 0 ? hanging : ''}${word}` : `${line} ${word}`
    if (line === '' || longer.length <= columns) line = longer
    else {
      wrapped.push(line)
      line = `${prefix}${hanging}${word}`
    }
  }
  return [...wrapped, line]
}

/** Returns the files of TypeScript that people write. */
export async function writtenFiles(): Promise<readonly string[]> {
  const {stdout} = await execa(
    'git',
    [
      'ls-files',
      '--cached',
      '--others',
      '--exclude-standard',
      '*.ts',
      '*.mjs',
      ':!src/overrides/system/table.ts',
    ],
    {cwd: ROOT},
  )
  return stdout.split('\n')
}

if (import.meta.main) {
  for (const file of await writtenFiles()) {
    const path = join(ROOT, file)
    const source = readFileSync(path, 'utf8')
    const wrapped = wrapComments(source)
    if (wrapped !== source) writeFileSync(path, wrapped)
  }
}
