import {hash, timingSafeEqual} from 'node:crypto'
import {KkError} from '../base/errors.ts'

type Scope = 'read' | 'write'

/** The owner of a token. */
export interface Caller {
  /** `write` includes `read`. */
  readonly scope: Scope
  /** The name recorded in the history of overrides. */
  readonly name: string
}

/** The tokens that the service accepts. */
export interface Tokens {
  /** Returns the owner of a token; undefined for an unknown one. */
  callerOf(token: string): Caller | undefined
}

const LINE = /^(read|write)\s+(\S+)(?:\s+(\S.*))?$/
const MIN_TOKEN_LENGTH = 16

/**
 * Parses tokens, one `read TOKEN` or `write TOKEN` per line, optionally followed by the owner's name; `#`
 * starts a comment. Throws `KK_USAGE` without quoting a token.
 */
export function parseTokens(text: string, source: string): Tokens {
  const tokens = new Map<string, Caller>()
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const content = line.trim()
    if (content === '' || content.startsWith('#')) continue
    const [, scope, token, name] = LINE.exec(content) ?? []
    if (token === undefined || token.length < MIN_TOKEN_LENGTH) {
      throw new KkError(
        'KK_USAGE',
        `${source}:${index + 1}: expected "read TOKEN" or "write TOKEN" and a name, with a token of ${MIN_TOKEN_LENGTH} characters or more`,
        {hint: 'generate one with: openssl rand -hex 32'},
      )
    }
    tokens.set(token, {scope: scope as Scope, name: name ?? `token of line ${index + 1}`})
  }
  if (tokens.size > 0) return tokenSet(tokens)
  throw new KkError('KK_USAGE', `${source}: expected at least one token`, {
    hint: 'write a line "write TOKEN"; generate a token with: openssl rand -hex 32',
  })
}

/** Returns a token set with one token, of scope write. Throws `KK_USAGE` without quoting it. */
export function singleToken(token: string, source: string): Tokens {
  if (token.length >= MIN_TOKEN_LENGTH && !/\s/.test(token)) {
    return tokenSet(new Map([[token, {scope: 'write', name: `token of ${source}`}]]))
  }
  throw new KkError(
    'KK_USAGE',
    `${source}: expected a token of ${MIN_TOKEN_LENGTH} characters or more, without spaces`,
    {hint: 'generate one with: openssl rand -hex 32'},
  )
}

/** Returns a token set that compares SHA-256 digests in constant time, and always all of them. */
function tokenSet(tokens: ReadonlyMap<string, Caller>): Tokens {
  const entries = [...tokens].map(([token, caller]) => ({digest: tokenDigest(token), caller}))
  return {
    callerOf(token) {
      const digest = tokenDigest(token)
      let owner: Caller | undefined
      for (const each of entries) if (timingSafeEqual(each.digest, digest)) owner = each.caller
      return owner
    },
  }
}

function tokenDigest(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}
