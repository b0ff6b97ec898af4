import {KINDS} from '../../src/audit/finding.ts'
import {ERRORS, EXIT_CODES} from '../../src/base/errors.ts'
import {CHECKS, type Check} from '../../src/doctor/checks/checks.ts'
import {markdownTable} from './marked.ts'

export function exitCodeTable(): string {
  return markdownTable(
    ['exit code', 'meaning'],
    Object.entries(EXIT_CODES).map(([code, meaning]) => [code, meaning]),
  )
}

export function errorCodeTable(): string {
  const rows = Object.entries(ERRORS)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, {exit, meaning}]) => [`\`${code}\``, String(exit), meaning])
  return markdownTable(['code', 'exit', 'meaning'], rows)
}

/** The checks before the first change. */
export function checkTable(): string {
  const rows = CHECKS.map(({name, changing, outcome, cost}) => [
    name,
    changing.map((each) => VERBS[each]).join(', '),
    outcome.replace(/KK_\w+/g, '`$&`'),
    cost,
  ])
  return markdownTable(
    ['check', 'used by', 'if something is found', 'requests in addition to those of the plan'],
    rows,
  )
}

const VERBS: Readonly<Record<Check['changing'][number], string>> = {
  deploy: 'plan, deploy, upgrade and the like',
  rollback: 'rollback',
  remove: 'remove, destroy',
}

/** The kinds of inconsistencies that `kk audit` finds. */
export function auditTable(): string {
  const rows = Object.entries(KINDS).map(([kind, meaning]) => [`\`${kind}\``, meaning])
  return markdownTable(['kind', 'what it means'], rows)
}
