import {type ErrorCode, KkError} from '../base/errors.ts'
import type {Position} from '../base/position.ts'
import type {Problem} from '../base/validate.ts'
import type {Source} from '../yaml/error.ts'
import type {Node} from '../yaml/node.ts'
import {positionIn} from './position.ts'

interface ProblemsOptions {
  readonly source: Source
  readonly root: Node
  readonly problems: readonly Problem[]
  readonly code: ErrorCode
  /** The command that prints the schema, e.g. `kk schema environment`. */
  readonly schema: string
}

/** Returns one error that lists each problem with file:line:column. */
export function problemsError({source, root, problems, code, schema}: ProblemsOptions): KkError {
  const [only] = problems.length === 1 ? problems : []
  const lines = problems.map(({path, expected, got, hint}) => {
    const at = positionIn(source, root, path) as Position
    const key = path.length > 0 ? `${path.map(printed).join('.')}: ` : ''
    const advice = hint && !only ? ` (${hint})` : ''
    return `${at.file}:${at.line}:${at.column}: ${key}expected ${expected}, got ${got}${advice}`
  })
  return new KkError(code, lines.join('\n'), {hint: only?.hint ?? `see what is allowed: ${schema}`})
}

/** Quotes a key with a line break or another control character. */
function printed(key: string | number): string {
  return /\p{Cc}/u.test(String(key)) ? JSON.stringify(key) : String(key)
}
