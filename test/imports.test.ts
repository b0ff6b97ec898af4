import {globSync, readFileSync} from 'node:fs'
import {dirname, join, relative} from 'node:path'
import {describe, expect, it} from 'vitest'
import {components} from '../src/graph/components.ts'
import type {Edge} from '../src/graph/graph.ts'
import type {ReleaseId} from '../src/release.ts'

/** The house, from top to bottom: a folder may import from itself and from those above it. */
const HOUSE = [
  'release.ts',
  'base',
  'state',
  'yaml',
  'redact',
  'graph',
  'helm',
  'kubernetes',
  'environment',
  'charts',
  'overrides',
  'plan',
  'run',
  'sandbox',
  'images',
  'exchange',
  'prepare',
  'doctor',
  'verbs',
  'report',
  'api',
  'operator',
  'cli',
  'commands',
  'table.d.ts',
  'main.ts',
]

/** Across these, imports are types and pure functions; what touches the world is passed in as an object. */
const PURE = ['graph', 'plan']

const SOURCE = join(import.meta.dirname, '../src')

interface Import {
  readonly from: string
  readonly to: string
  readonly typesOnly: boolean
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(SOURCE, file), 'utf8')
  const found = text.matchAll(
    /^(?:import|export)\s+(type\s+)?[^;'"]*?from\s+'(\.[^']+)'|import\(\s*'(\.[^']+)'\s*\)/gm,
  )
  return [...found].map(([, type, fixed, lazy]) => ({
    from: file,
    // What is made stands in git by its types alone.
    to: relative(SOURCE, join(SOURCE, dirname(file), (fixed ?? lazy)!)).replace(/\.js$/, '.d.ts'),
    typesOnly: type !== undefined,
  }))
}

function room(file: string): string {
  return file.split('/')[0]!
}

/** The imports that go against the house, each as one line. */
function offending(imports: readonly Import[]): string[] {
  return imports
    .filter(({to}) => !to.startsWith('..'))
    .filter(({from, to}) => HOUSE.indexOf(room(to)) > HOUSE.indexOf(room(from)))
    .map(({from, to}) => `src/${from} imports src/${to}: ${room(from)} stands above ${room(to)}`)
}

/** Files that import each other, directly or not, types included: each group as one line. */
function circles(files: readonly string[], imports: readonly Import[]): string[] {
  const idOf = (file: string) => `src/${file}` as ReleaseId
  const edgesFrom = Map.groupBy(imports, ({from}) => from)
  const edgesOf = (file: string): Edge[] =>
    (edgesFrom.get(file) ?? [])
      .filter(({to}) => files.includes(to))
      .map(({from, to}) => ({from: idOf(from), to: idOf(to), kind: 'ready', evidence: []}))
  const requirements = new Map(files.map((file) => [idOf(file), edgesOf(file)]))
  return components({releases: files.map(idOf), requirements})
    .filter((group) => group.length > 1)
    .map((group) => group.join(' and '))
}

const FILES = globSync('**/*.ts', {cwd: SOURCE}).sort()

describe('who imports whom', () => {
  it('every folder of src has its place in the house', () => {
    const unknown = FILES.filter((file) => !HOUSE.includes(room(file)))

    expect(unknown).toEqual([])
  })

  it('a folder imports only from itself and from those above it', () => {
    const found = offending(FILES.flatMap(importsOf))

    expect(found).toEqual([])
  })

  it('no files import each other', () => {
    const found = circles(FILES, FILES.flatMap(importsOf))

    expect(found).toEqual([])
  })

  it('a circle is printed with all its files, also where only a type goes round', () => {
    const typesOnly = {typesOnly: true}
    const imports = [
      {from: 'run/a.ts', to: 'run/b.ts', ...typesOnly},
      {from: 'run/b.ts', to: 'run/c.ts', ...typesOnly},
      {from: 'run/c.ts', to: 'run/a.ts', ...typesOnly},
      {from: 'run/d.ts', to: 'run/a.ts', ...typesOnly},
    ]

    const found = circles(['run/a.ts', 'run/b.ts', 'run/c.ts', 'run/d.ts'], imports)

    expect(found.map((line) => line.split(' and ').toSorted())).toEqual([
      ['src/run/a.ts', 'src/run/b.ts', 'src/run/c.ts'],
    ])
  })

  it('graph and plan touch nothing outside the program', () => {
    const found = FILES.filter((file) => PURE.includes(room(file)))
      .map((file) => [file, readFileSync(join(SOURCE, file), 'utf8')] as const)
      .filter(([, text]) => /from '(?:node:(?!crypto)|execa|undici)|process\./.test(text))
      .map(([file]) => `src/${file}`)

    expect(found).toEqual([])
  })

  it('an import against the order is printed with both files', () => {
    const found = offending([{from: 'graph/order.ts', to: 'verbs/change/deploy.ts', typesOnly: false}])

    expect(found).toEqual(['src/graph/order.ts imports src/verbs/change/deploy.ts: graph stands above verbs'])
  })
})
