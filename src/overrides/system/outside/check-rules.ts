import {positionIn} from '../../../environment/position.ts'
import {problemsError} from '../../../environment/problems.ts'
import {KkError} from '../../../errors.ts'
import {type Source, whereIs} from '../../../helm/yaml/error.ts'
import type {Node} from '../../../helm/yaml/node.ts'
import type {Values} from '../../../release.ts'
import type {FactName} from '../../facts/facts.ts'
import {isMap} from '../../merge.ts'
import {findUnstorable} from '../../storable.ts'
import {type Conditions, neverMet} from './conditions.ts'
import {hasBrokenReference, namesIn} from './substitute.ts'

export interface Rule {
  readonly when?: Conditions
  readonly values: Values
}

/** What a rule file says, and where. */
export interface ReadRules {
  readonly source: Source
  readonly root: Node
  readonly rules: readonly Rule[]
  readonly reads: readonly FactName[]
}

/** Throws `KK_PLUGIN`, with file:line:column, for what the schema cannot tell. */
export function checkRules(read: ReadRules): void {
  refuseUnstorable(read)
  refuseNeverMet(read)
  refuseBroken(read)
  refuseUnread(read)
}

/** What kk would not take from a deployer either. */
function refuseUnstorable(read: ReadRules): void {
  for (const [index, {values}] of read.rules.entries()) {
    const found = findUnstorable(values)
    if (!found) continue
    const path = ['rules', index, 'values', ...found.path]
    throw refused(read, path, `${path.join('.')}: ${found.problem}`, 'correct it there')
  }
}

function refuseNeverMet({source, root, rules}: ReadRules): void {
  const problems = rules.flatMap(({when = {}}, index) =>
    neverMet(when).map((problem) => ({...problem, path: ['rules', index, 'when', ...problem.path]})),
  )
  if (problems.length === 0) return
  throw problemsError({source, root, problems, code: 'KK_PLUGIN', schema: 'kk schema facts'})
}

/** Taken for text it would reach the chart without a word. */
function refuseBroken(read: ReadRules): void {
  const broken = textsOf(read).find(({text}) => hasBrokenReference(text))
  if (!broken) return
  const message = `${broken.path.join('.')}: expected the name of a fact and ) after $(`
  throw refused(read, broken.path, message, 'write $(region), or $$( for a text')
}

/** What a rule uses it must read: from `reads` kk knows what to ask a cluster for. */
function refuseUnread(read: ReadRules): void {
  const uses = [
    ...read.rules.flatMap(({when = {}}, index) =>
      Object.keys(when).map((name) => ({name, path: ['rules', index, 'when', name]})),
    ),
    ...textsOf(read).flatMap(({text, path}) => namesIn(text).map((name) => ({name, path}))),
  ]
  for (const {name, path} of uses) {
    const [fact = ''] = name.split('.')
    if (read.reads.includes(fact as FactName)) continue
    const message = `the fact ${fact} is used, but not among those that are read`
    const hint = `add ${fact} to reads: if it is a fact (kk schema facts), or write $$( for a text`
    throw refused(read, path, message, hint)
  }
}

type Path = readonly (string | number)[]

interface PlacedText {
  readonly text: string
  readonly path: Path
}

function textsOf({rules}: ReadRules): readonly PlacedText[] {
  return rules.flatMap(({values}, index) => textsIn(values, ['rules', index, 'values']))
}

function textsIn(value: unknown, path: Path): readonly PlacedText[] {
  if (typeof value === 'string') return [{text: value, path}]
  if (Array.isArray(value)) return value.flatMap((item, index) => textsIn(item, [...path, index]))
  if (!isMap(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => textsIn(inner, [...path, key]))
}

function refused({source, root}: ReadRules, path: Path, message: string, hint: string): KkError {
  const place = positionIn(source, root, path)
  const where = place ? `${place.file}:${place.line}:${place.column}` : whereIs(source, root.offset)
  return new KkError('KK_PLUGIN', `${where}: ${message}`, {hint})
}
