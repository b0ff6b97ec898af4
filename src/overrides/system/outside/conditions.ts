import type {JsonSchema} from '../../../environment/schema.ts'
import {type Problem, validate} from '../../../environment/validate.ts'
import type {FactName, Facts} from '../../facts/facts.ts'
import {FACTS_SCHEMA} from '../../facts/schema.ts'

type Scalar = string | number | boolean
interface Choice {
  readonly min?: number
  readonly max?: number
  readonly in?: readonly Scalar[]
}
type Condition = Scalar | Choice

/** What must be so of facts, all of it. */
export type Conditions = Readonly<Partial<Record<FactName, Condition>>>

export function holds(conditions: Conditions, facts: Facts): boolean {
  return Object.entries(conditions).every(([name, condition]) => meets(facts[name as FactName], condition))
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

/** The conditions that no value of their fact can ever meet, each with its path. */
export function neverMet(conditions: Conditions): readonly Problem[] {
  return Object.entries(conditions).flatMap(([name, condition]) => {
    const fact = FACTS_SCHEMA.properties![name]!
    const problems = typeof condition === 'object' ? badChoice(fact, condition) : badValue(fact, condition)
    return problems.map((problem) => ({...problem, path: [name, ...problem.path]}))
  })
}

function badChoice(fact: JsonSchema, {in: values = [], ...range}: Choice): readonly Problem[] {
  const bad = values.flatMap((value, index) =>
    badValue(fact, value).map((problem) => ({...problem, path: ['in', index]})),
  )
  const isMeasured = fact.type === 'integer' || fact.type === 'array'
  const unfit = isMeasured ? [] : Object.keys(range)
  return [...bad, ...unfit.map((key) => ({path: [key], ...NO_RANGE, got: `a fact that is ${fact.title}`}))]
}

const NO_RANGE = {expected: 'min and max only of a number or a list', hint: 'name values with in:'}

/** Of a list, a value that it may hold. */
function badValue(fact: JsonSchema, value: Scalar): readonly Problem[] {
  return validate(fact.type === 'array' ? fact.items! : fact, value)
}
