import {KkError} from '../base/errors.ts'
import {type ReleaseId, releaseId} from '../release.ts'

/** A value that violates the schema of a chart, as helm reports it. */
export interface SchemaProblem {
  /** The name of the chart or subchart. */
  readonly chart: string
  /** The path in the values of that chart. */
  readonly path: readonly string[]
  /** The problem, e.g. `got string, want integer`. */
  readonly text: string
  /** The keys at the path that the schema does not allow. */
  readonly unknown: readonly string[]
}

/** The `KK_VALUES` error of values that violate the schema of their chart, with each problem. */
export class BrokenSchema extends KkError {
  readonly of: ReleaseId
  readonly problems: readonly SchemaProblem[]

  constructor(
    call: {readonly name: string; readonly namespace: string},
    message: string,
    details: {
      readonly hint: string
      readonly log: readonly string[]
      readonly problems: readonly SchemaProblem[]
      readonly cause?: unknown
    },
  ) {
    super('KK_VALUES', message, details)
    this.of = releaseId(call.namespace, call.name)
    this.problems = details.problems
  }
}

/**
 * Parses the problems in helm's lines, sorted as by `sortedProblems`; indented lines belong to the line
 * above.
 */
export function schemaProblems(lines: readonly string[]): readonly SchemaProblem[] {
  const problems: SchemaProblem[] = []
  let chart = ''
  for (const line of lines) {
    const [, indent = '', problem] = /^( *)- (.*)$/.exec(line) ?? []
    if (problem === undefined) chart = line.trim().replace(/:$/, '')
    else if (indent === '') problems.push(parseProblem(chart, problem))
    else problems.push(...below(problems.pop(), problem))
  }
  return problems
}

/**
 * Merges a problem below another: among alternatives, the one that matches deeper describes what is wrong.
 */
function below(above: SchemaProblem | undefined, text: string): readonly SchemaProblem[] {
  if (!above) return []
  const inner = parseProblem(above.chart, text)
  return inner.path.length > above.path.length ? [inner] : [{...above, text: `${above.text}; ${text}`}]
}

/** Parses a problem. Helm 4 and 3.18 print `at '/a/b': …`, older ones `a.b: …`. */
function parseProblem(chart: string, problem: string): SchemaProblem {
  const [, pointer, message] = /^at '(.*?)': (.*)$/.exec(problem) ?? []
  if (pointer !== undefined) {
    const [, names] = /^additional properties (.*) not allowed$/.exec(message!) ?? []
    const unknown = [...(names ?? '').matchAll(/'((?:[^'\\]|\\.)*)'/g)].map(([, name]) => name!)
    // The message of a `false` schema, which allows no value.
    const text = message === 'false schema' ? 'not allowed here' : message!
    return {chart, path: pointerSteps(pointer), text, unknown}
  }
  const [, dotted, text = problem] = /^(\S+): (.*)$/.exec(problem) ?? []
  const [, name] = /^Additional property (.*) is not allowed$/.exec(text) ?? []
  const path = dotted === undefined || dotted === '(root)' ? [] : dotted.split('.')
  return {chart, path, text, unknown: name === undefined ? [] : [name]}
}

/** Returns the steps of a JSON pointer (RFC 6901). */
function pointerSteps(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/**
 * Sorts helm's lines about schema violations: helm iterates over maps, so their order varies. The lines below
 * each chart are sorted, and indented lines stay below their parent line.
 */
export function sortedProblems(lines: readonly string[]): readonly string[] {
  let chart = 0
  let above: readonly string[] = []
  const keyed = lines.map((line) => {
    const depth = line.search(/\S/) / 2
    const isProblem = line.trimStart().startsWith('- ')
    if (!isProblem) chart++
    above = isProblem ? [...above.slice(0, depth), line] : []
    return {line, key: [String(chart).padStart(4, '0'), ...above].join('\0')}
  })
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({line}) => line)
}
