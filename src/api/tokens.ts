import {hash, timingSafeEqual} from 'node:crypto'
import {KkError} from '../base/errors.ts'

type Scope = 'read' | 'write'

/** The owner of a token. */
export interface Caller {
  /** `write` may do what `read` may. */
  readonly scope: Scope
  /** The name in the history of the overrides. */
  readonly name: string
}

/** The tokens that the service accepts. */
export interface Tokens {
  /** Returns the owner of a token; undefined for one that nobody was given. */
  callerOf(token: string): Caller | undefined
}

const LINE = /^(read|write)\s+(\S+)(?:\s+(\S.*))?$/
const SHORTEST = 16

/**
 * Returns the tokens of a text with one `read TOKEN` or `write TOKEN` per line, and after it the name of who has it; `#` begins a
 * comment. Throws `KK_USAGE` without quoting a token.
 */
export function parseTokens(text: string, source: string): Tokens {
  const tokens = new Map<string, Caller>()
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const content = line.trim()
    if (content === '' || content.startsWith('#')) continue
    const [, scope, token, name] = LINE.exec(content) ?? []
    if (token === undefined || token.length < SHORTEST) {
      throw new KkError(
        'KK_USAGE',
        `${source}:${index + 1}: expected "read TOKEN" or "write TOKEN" and a name, with a token of ${SHORTEST} characters or more`,
        {hint: 'make one with: openssl rand -hex 32'},
      )
    }
    tokens.set(token, {scope: scope as Scope, name: name ?? `token of line ${index + 1}`})
  }
  if (tokens.size > 0) return checked(tokens)
  throw new KkError('KK_USAGE', `${source}: expected at least one token`, {
    hint: 'write a line "write TOKEN"; make a token with: openssl rand -hex 32',
  })
}

/** Returns tokens of which there is one, which may write. Throws `KK_USAGE` without quoting it. */
export function singleToken(token: string, source: string): Tokens {
  if (token.length >= SHORTEST && !/\s/.test(token)) {
    return checked(new Map([[token, {scope: 'write', name: `token of ${source}`}]]))
  }
  throw new KkError(
    'KK_USAGE',
    `${source}: expected a token of ${SHORTEST} characters or more, without spaces`,
    {hint: 'make one with: openssl rand -hex 32'},
  )
}

/** Returns tokens that are compared as digests of one length, and always all of them: so time tells nothing of a token. */
function checked(tokens: ReadonlyMap<string, Caller>): Tokens {
  const known = [...tokens].map(([token, caller]) => ({digest: digestOf(token), caller}))
  return {
    callerOf(token) {
      const digest = digestOf(token)
      let found: Caller | undefined
      for (const each of known) if (timingSafeEqual(each.digest, digest)) found = each.caller
      return found
    },
  }
}

function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}
