import {KkError} from '../base/errors.ts'
import {type ReleaseId, releaseId} from '../release.ts'

/** A value that breaks the schema of a chart, as helm says it. */
export interface SchemaProblem {
  /** The name of the chart, or of the subchart. */
  readonly chart: string
  /** Among the values of that chart. */
  readonly path: readonly string[]
  /** E.g. `got string, want integer`. */
  readonly text: string
  /** The keys there that the schema does not know. */
  readonly unknown: readonly string[]
}

/** Values that break the schema of their chart: `KK_VALUES` with each problem. */
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

/** The problems in helm's lines, sorted as `sortedProblems` does; what stands below one belongs to it. */
export function schemaProblems(lines: readonly string[]): readonly SchemaProblem[] {
  const problems: SchemaProblem[] = []
  let chart = ''
  for (const line of lines) {
    const [, indent = '', problem] = /^( *)- (.*)$/.exec(line) ?? []
    if (problem === undefined) chart = line.trim().replace(/:$/, '')
    else if (indent === '') problems.push(problemOf(chart, problem))
    else problems.push(...below(problems.pop(), problem))
  }
  return problems
}

/** Of several alternatives, the one that fits further than the others tells what is wrong. */
function below(above: SchemaProblem | undefined, text: string): readonly SchemaProblem[] {
  if (!above) return []
  const inner = problemOf(above.chart, text)
  return inner.path.length > above.path.length ? [inner] : [{...above, text: `${above.text}; ${text}`}]
}

/** Helm 4 and 3.18 say `at '/a/b': …`, older ones `a.b: …`. */
function problemOf(chart: string, problem: string): SchemaProblem {
  const [, pointer, told] = /^at '(.*?)': (.*)$/.exec(problem) ?? []
  if (pointer !== undefined) {
    const [, names] = /^additional properties (.*) not allowed$/.exec(told!) ?? []
    const unknown = [...(names ?? '').matchAll(/'((?:[^'\\]|\\.)*)'/g)].map(([, name]) => name!)
    // What a schema of `false` says, which lets nothing be there.
    const text = told === 'false schema' ? 'not allowed here' : told!
    return {chart, path: stepsOf(pointer), text, unknown}
  }
  const [, dotted, text = problem] = /^(\S+): (.*)$/.exec(problem) ?? []
  const [, name] = /^Additional property (.*) is not allowed$/.exec(text) ?? []
  const path = dotted === undefined || dotted === '(root)' ? [] : dotted.split('.')
  return {chart, path, text, unknown: name === undefined ? [] : [name]}
}

/** The steps of a JSON pointer (RFC 6901). */
function stepsOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/**
 * Helm's lines on values that break schemas, in one order: it walks through maps, and so names the problems in another
 * order each time. Under the line of each chart they are sorted, and each keeps below it what is indented more.
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
