import {positionIn} from '../../../environment/position.ts'
import {problemsError} from '../../../environment/problems.ts'
import {validate} from '../../../environment/validate.ts'
import {KkError} from '../../../errors.ts'
import type {Source} from '../../../helm/yaml/error.ts'
import {whereIs, yamlError} from '../../../helm/yaml/error.ts'
import type {Node} from '../../../helm/yaml/node.ts'
import {parseTrees} from '../../../helm/yaml/tree.ts'
import {treeValue} from '../../../helm/yaml.ts'
import type {Values} from '../../../release.ts'
import type {FactName, Facts} from '../../facts/facts.ts'
import {isMap} from '../../merge.ts'
import {findUnstorable} from '../../storable.ts'
import {definePlugin, type Plugin, type SecretNeed} from '../plugin.ts'
import {compose} from '../shared/compose.ts'
import {RULES_SCHEMA} from './schema.ts'
import {namesIn, substitute} from './substitute.ts'

type Scalar = string | number | boolean
type Condition = Scalar | {readonly min?: number; readonly max?: number; readonly in?: readonly Scalar[]}

interface Rule {
  readonly when?: Readonly<Partial<Record<FactName, Condition>>>
  readonly values: Values
}

interface RuleFile {
  readonly chart: string
  readonly namespaces?: readonly string[]
  readonly reads?: readonly FactName[]
  readonly secrets?: readonly SecretNeed[]
  readonly rules: readonly Rule[]
}

/** The plugin of a rule file. Throws `KK_YAML` and `KK_PLUGIN`, with file:line:column. */
export function rulePlugin(source: Source): Plugin {
  const [root, second] = parseTrees(source)
  if (!root || second) {
    throw yamlError(
      source,
      second?.offset ?? 0,
      `expected one document, got ${root ? 'a second one' : 'an empty file'}`,
    )
  }
  const value = treeValue(source, root, 'error')
  const problems = validate(RULES_SCHEMA, value)
  if (problems.length > 0) {
    throw problemsError({source, root, problems, code: 'KK_PLUGIN', schema: 'kk schema plugin'})
  }
  const {rules, reads = [], ...declared} = value as RuleFile
  refuseUnstorable({source, root, rules})
  refuseUnread({source, root, rules, reads})
  return {
    ...definePlugin({
      ...declared,
      reads,
      overrides: (facts) =>
        compose(...rules.filter((rule) => holds(rule, facts)).map(({values}) => substitute(values, facts))),
    }),
    file: source.file,
  }
}

/** What kk would not take from a deployer either. */
function refuseUnstorable({source, root, rules}: Omit<Reading, 'reads'>): void {
  for (const [index, {values}] of rules.entries()) {
    const found = findUnstorable(values)
    if (!found) continue
    const path = ['rules', index, 'values', ...found.path]
    const message = `${whereKey(source, root, path)}: ${path.join('.')}: ${found.problem}`
    throw new KkError('KK_PLUGIN', message, {hint: 'correct it there'})
  }
}

function whereKey(source: Source, root: Node, path: Path): string {
  const place = positionIn(source, root, path)
  return place ? `${place.file}:${place.line}:${place.column}` : whereIs(source, root.offset)
}

interface Reading {
  readonly source: Source
  readonly root: Node
  readonly rules: readonly Rule[]
  readonly reads: readonly FactName[]
}

/** What a rule uses it must read: from `reads` kk knows what to ask a cluster for. */
function refuseUnread({source, root, rules, reads}: Reading): void {
  for (const [index, {when = {}, values}] of rules.entries()) {
    const at = ['rules', index] as const
    const uses = [
      ...Object.keys(when).map((name) => ({name, path: [...at, 'when', name]})),
      ...references(values, [...at, 'values']),
    ]
    for (const {name, path} of uses) {
      const [fact = ''] = name.split('.')
      if (reads.includes(fact as FactName)) continue
      throw new KkError(
        'KK_PLUGIN',
        `${whereKey(source, root, path)}: the fact ${fact} is used, but not among those that are read`,
        {
          hint: `add ${fact} to reads: if it is a fact (kk schema facts), or write $$( for a text`,
        },
      )
    }
  }
}

type Path = readonly (string | number)[]

function references(value: unknown, path: Path): readonly {readonly name: string; readonly path: Path}[] {
  if (typeof value === 'string') return namesIn(value).map((name) => ({name, path}))
  if (Array.isArray(value)) return value.flatMap((item, index) => references(item, [...path, index]))
  if (!isMap(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => references(inner, [...path, key]))
}

function holds({when = {}}: Rule, facts: Facts): boolean {
  return Object.entries(when).every(([name, condition]) => meets(facts[name as FactName], condition))
}

/** A list meets a value that is in it, and a range by its length. */
function meets(fact: unknown, condition: Condition): boolean {
  if (fact === undefined) return false
  const has = (value: Scalar) => (Array.isArray(fact) ? fact.includes(value) : fact === value)
  if (typeof condition !== 'object') return has(condition)
  const size = Array.isArray(fact) ? fact.length : fact
  const {min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY} = condition
  const isRange = condition.min !== undefined || condition.max !== undefined
  if (isRange && !(typeof size === 'number' && size >= min && size <= max)) return false
  return condition.in === undefined || condition.in.some(has)
}
