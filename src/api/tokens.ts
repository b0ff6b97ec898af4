import {hash, timingSafeEqual} from 'node:crypto'
import {KkError} from '../errors.ts'

export type Scope = 'read' | 'write'

/** Checks what a caller presents; `write` may do what `read` may. */
export interface Tokens {
  /** Undefined for a token that nobody was given. */
  scopeOf(token: string): Scope | undefined
}

const LINE = /^(read|write)\s+(\S+)$/
const SHORTEST = 16

/**
 * The tokens of a text with one `read TOKEN` or `write TOKEN` per line; `#` begins a comment. Throws `KK_USAGE` without
 * quoting a token.
 */
export function parseTokens(text: string, source: string): Tokens {
  const tokens = new Map<string, Scope>()
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const content = line.trim()
    if (content === '' || content.startsWith('#')) continue
    const [, scope, token] = LINE.exec(content) ?? []
    if (token === undefined || token.length < SHORTEST) {
      throw new KkError(
        'KK_USAGE',
        `${source}:${index + 1}: expected "read TOKEN" or "write TOKEN", with a token of ${SHORTEST} characters or more`,
        {hint: 'make one with: openssl rand -hex 32'},
      )
    }
    tokens.set(token, scope as Scope)
  }
  if (tokens.size > 0) return checked(tokens)
  throw new KkError('KK_USAGE', `${source}: expected at least one token`, {
    hint: 'write a line "write TOKEN"; make a token with: openssl rand -hex 32',
  })
}

/** Compares digests of one length, all of them, so that time tells nothing of a token. */
function checked(tokens: ReadonlyMap<string, Scope>): Tokens {
  const known = [...tokens].map(([token, scope]) => ({digest: digestOf(token), scope}))
  return {
    scopeOf(token) {
      const digest = digestOf(token)
      let found: Scope | undefined
      for (const each of known) if (timingSafeEqual(each.digest, digest)) found = each.scope
      return found
    },
  }
}

function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}
