import {Parser} from '@oclif/core'
import {expect, it} from 'vitest'
import {withPresentName} from '../../src/cli/old-commands.ts'
import {commandOf} from '../../src/cli/suggestions.ts'
import {table} from '../../src/table.js'
import {blocksOf, type Page, proseOf, readPages} from './support/pages.ts'

type Parse = Parameters<typeof Parser.parse>
interface Command {
  readonly flags: object
  readonly baseFlags: object
  readonly args: object
  readonly strict: boolean
}

/** Every command line of kk in a page, in its shell blocks and in the prose. */
function commandLines(page: Page): readonly string[] {
  const shell = blocksOf(page).filter(({info}) => /^(sh|yaml)\b/.test(info))
  const lines = shell.flatMap(({text}) => text.replaceAll(/\\\n\s*/g, '').split('\n'))
  const inline = [...proseOf(page).matchAll(/`(kk [^`]+)`/g)].map(([, code = '']) => code)
  return [...lines, ...inline].flatMap((line) => {
    const bare = line.replace(/(^|\s)#.*$/, '').replaceAll(/'[^']*'|"[^"]*"/g, 'quoted')
    return [...bare.matchAll(/(?:^|[;&|(] *|quoted +)kk +([^;&|)>]+)/g)].map(([, words = '']) => words.trim())
  })
}

/** Rejects unless kk would accept these words: the command exists, and so do its flags and their values. */
async function parse(line: string): Promise<void> {
  const words = line.split(/\s+/)
  const [first = ''] = words
  if (['--help', '--version', '…', '...'].includes(first)) return
  const id = commandOf(words.filter((word) => !word.startsWith('-')).slice(0, 3), table)
  if (id === undefined) {
    if (words.length === 1 && Object.keys(table.commands).some((each) => each.startsWith(`${first}:`))) return
    throw new Error(`kk has no command ${JSON.stringify(line)}`)
  }
  const command = (await table.loaders[id]!()).default as Command
  const argv = words
    .slice(id.split(':').length)
    .filter((word) => !['…', '...'].includes(word))
    .map((word) => (word === 'FILE' ? 'environment.yaml' : word))
  await Parser.parse(argv, {
    args: command.args,
    flags: {...command.baseFlags, ...command.flags},
    strict: command.strict,
    '--': true,
  } as Parse[1])
}

const stated = readPages().flatMap((page) =>
  [...new Set(commandLines(page))].map((line) => [page.path, line] as const),
)

it.each(stated)('%s: kk %s', async (path, line) => {
  // The changelog also names commands as they were.
  const isHistory = path === 'CHANGELOG.md' || path.startsWith('docs/changes/')
  const words = isHistory ? withPresentName(line.split(/\s+/), () => undefined) : [line]

  await expect(parse(words.join(' '))).resolves.toBeUndefined()
})

it.each([
  'deplyo environments/all-in-one.yaml',
  'deploy --sandboxed',
  'plan --output svg',
  'sandbox up --nodes many',
])('kk %s is refused', async (line) => {
  await expect(parse(line)).rejects.toThrow()
})

/** The number of flow maps in each other; braces in strings are not counted. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  for (const brace of text.replaceAll(/"[^"]*"|'[^']*'/g, '').match(/[{}]/g) ?? []) {
    depth += brace === '{' ? 1 : -1
    deepest = Math.max(deepest, depth)
  }
  return deepest
}

it.each([
  ['{a: {b: {c: 1}}}', 3],
  ['{a: {b: "{", c: {d: {e: 1}}}}', 4],
])('the depth of %s is %i', (text, depth) => {
  expect(depthOf(text)).toBe(depth)
})

it('values in pages are in block style: no flow map is four levels deep', () => {
  const deep = readPages().flatMap((page) => {
    const values = blocksOf(page).filter(({info}) => info === 'yaml')
    const inline = [...proseOf(page).matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
    return [...values.flatMap(({text}) => text.split('\n')), ...inline]
      .filter((text) => depthOf(text) >= 4)
      .map((text) => `${page.path}: ${text.trim()}`)
  })

  expect(deep).toEqual([])
})

it('blocks have the marks that CONTRIBUTING.md explains for tested and untested blocks', () => {
  const marks = ['json', 'mermaid', 'sh', 'sh aio', 'sh test', 'text', 'text output', 'ts', 'yaml']

  const others = readPages().flatMap((page) => {
    const unknown = blocksOf(page).filter(({info}) => !marks.includes(info))
    return unknown.map(({info, text}) => `${page.path}: ${info}: ${text.split('\n', 1)[0]}`)
  })

  expect(others).toEqual([])
})
