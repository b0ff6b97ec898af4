import {globSync, readFileSync} from 'node:fs'
import {dirname, join, relative} from 'node:path'
import {describe, expect, it} from 'vitest'
import {components} from '../src/graph/components.ts'
import type {Edge} from '../src/graph/graph.ts'
import type {ReleaseId} from '../src/release.ts'

/** What decides a release, from its name to the values that helm gets. */
const OF_VALUES = [
  'base',
  'release.ts',
  'state',
  'yaml',
  'redact',
  'graph',
  'helm',
  'kubernetes',
  'environment',
  'charts',
  'overrides',
]
/** All that knows how one thing is done; above it is what joins these. */
const PARTS = [...OF_VALUES, 'plan', 'run', 'prepare', 'exchange', 'images', 'sandbox', 'audit', 'nodes']

/**
 * The house: a folder may import from itself and from those beside its name. Each stands below all that it
 * imports.
 */
const HOUSE: Readonly<Record<string, readonly string[]>> = {
  base: [],
  'release.ts': ['base'],
  state: ['base'],
  yaml: ['base'],
  redact: ['base', 'yaml'],
  graph: ['base', 'release.ts'],
  helm: ['base', 'release.ts', 'state', 'yaml', 'redact'],
  kubernetes: ['base', 'release.ts', 'state', 'yaml', 'redact', 'helm'],
  environment: ['base', 'release.ts', 'state', 'yaml'],
  charts: ['base', 'release.ts', 'state', 'yaml', 'redact', 'graph', 'helm', 'kubernetes', 'environment'],
  overrides: OF_VALUES,
  plan: ['base', 'release.ts', 'redact', 'graph', 'kubernetes', 'overrides'],
  run: ['base', 'release.ts', 'state', 'yaml', 'redact', 'graph', 'helm', 'kubernetes', 'overrides', 'plan'],
  prepare: [...OF_VALUES, 'plan'],
  exchange: OF_VALUES,
  images: ['base', 'state', 'yaml', 'redact', 'helm', 'kubernetes'],
  sandbox: ['base', 'state'],
  audit: ['base', 'kubernetes'],
  nodes: ['base'],
  doctor: PARTS,
  verbs: [...PARTS, 'doctor'],
  report: [...PARTS, 'doctor', 'verbs'],
  api: [...PARTS, 'doctor', 'verbs', 'report'],
  operator: [...PARTS, 'doctor', 'verbs', 'report', 'api'],
  cli: [...PARTS, 'doctor', 'verbs', 'report', 'api', 'operator'],
  commands: [...PARTS, 'doctor', 'verbs', 'report', 'api', 'operator', 'cli'],
  'table.d.ts': ['cli'],
  'main.ts': ['base', 'cli', 'table.d.ts'],
}

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
    .filter(({from, to}) => room(to) !== room(from) && !HOUSE[room(from)]?.includes(room(to)))
    .map(({from, to}) => `src/${from} imports src/${to}: ${room(from)} may not import ${room(to)}`)
}

/**
 * What a change does to a cluster, and what it checks before; `verbs/change/planned-change.ts` has it in the
 * one right order.
 */
const OF_A_CHANGE =
  /^(verbs\/secrets\/(replaced|supply)-secrets|prepare\/validate-all|prepare\/rendering\/vendored|run\/execute\/reservations|kubernetes\/reservations\/)/

/**
 * Whether a file of those that have clusters changed does a part of it by itself. Types do nothing;
 * `openSecrets` only reads.
 */
function goesBesideChange({from, to, typesOnly}: Import): boolean {
  const isCaller = ['cli', 'commands', 'operator'].includes(room(from)) && from !== 'cli/open/secrets.ts'
  return isCaller && !typesOnly && OF_A_CHANGE.test(to)
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

describe('imports between folders of src', () => {
  it('every folder of src has an entry in the table of permitted imports', () => {
    const unknown = FILES.filter((file) => HOUSE[room(file)] === undefined)

    expect(unknown).toEqual([])
  })

  it('a folder imports only from itself and from the permitted folders', () => {
    const found = offending(FILES.flatMap(importsOf))

    expect(found).toEqual([])
  })

  it('no files import each other', () => {
    const found = circles(FILES, FILES.flatMap(importsOf))

    expect(found).toEqual([])
  })

  it('a cycle is reported with all its files, also for imports of types only', () => {
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

  it('graph and plan use neither input and output nor the process', () => {
    const found = FILES.filter((file) => PURE.includes(room(file)))
      .map((file) => [file, readFileSync(join(SOURCE, file), 'utf8')] as const)
      .filter(([, text]) => /from '(?:node:(?!crypto)|execa|undici)|process\./.test(text))
      .map(([file]) => `src/${file}`)

    expect(found).toEqual([])
  })

  it('callers that change a cluster use secrets, checks and reservations only through a planned change', () => {
    const found = FILES.flatMap(importsOf).filter(goesBesideChange)

    expect(found).toEqual([])
  })

  it.each([
    'verbs/secrets/supply-secrets.ts',
    'verbs/secrets/replaced-secrets.ts',
    'prepare/validate-all.ts',
    'run/execute/reservations.ts',
  ])('an import of %s by the operator is reported as bypassing the planned change', (to) => {
    const isBeside = goesBesideChange({from: 'operator/reconcile.ts', to, typesOnly: false})

    expect(isBeside).toBe(true)
    expect(FILES).toContain(to)
  })

  it('a forbidden import is reported with both files', () => {
    const found = offending([
      {from: 'graph/order.ts', to: 'verbs/change/planned-change.ts', typesOnly: false},
    ])

    expect(found).toEqual([
      'src/graph/order.ts imports src/verbs/change/planned-change.ts: graph may not import verbs',
    ])
  })
})
