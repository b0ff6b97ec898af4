import {generateKeyPairSync} from 'node:crypto'
import {KkError} from '../../base/errors.ts'

/**
 * The keys of a certificate authority, newest first: that of the next authority, which signs nothing yet, that of the present one, and
 * that of the former one. All three are trusted, so that in a rotation nobody meets a certificate that he does not know,
 * in whichever order servers and clients are upgraded.
 */
export interface Authority {
  readonly keys: readonly AuthorityKey[]
}

export interface AuthorityKey {
  /** A private RSA key in PEM (PKCS #8). */
  readonly key: string
  /** The time at which it was made, ISO 8601. */
  readonly since: string
  /** The time at which it began to sign, if that is a later one: all that it signs lasts from then on. */
  readonly present?: string
}

const RSA_BITS = 3072

/** Returns the text of a new authority, or of one in whose place the next has come. Throws `KK_TLS` for a former text that is none. */
export function makeAuthority(former?: string): string {
  if (former === undefined) return textOf([authorityKey(), authorityKey()])
  const [next, present] = readAuthority(former).keys
  return textOf([authorityKey(), {...next!, present: new Date().toISOString()}, present!])
}

function textOf(keys: readonly AuthorityKey[]): string {
  return JSON.stringify({keys} satisfies Authority)
}

/** Reads the text of an authority. Throws `KK_TLS`. */
export function readAuthority(text: string): Authority {
  const {keys} = parsed(text)
  if (!Array.isArray(keys) || keys.length < 2 || !keys.every(isAuthorityKey)) {
    throw new KkError(
      'KK_TLS',
      'the kept secret tls.authority is no authority of kk: expected its keys as kk made them',
      {
        hint: 'give back the former value; or take tls.authority out of the Secret in kk-system, and the next deploy makes another',
      },
    )
  }
  return {keys}
}

/** The key that signs. */
export function presentKey({keys}: Authority): AuthorityKey {
  return keys[1]!
}

function authorityKey(): AuthorityKey {
  const {privateKey} = generateKeyPairSync('rsa', {
    modulusLength: RSA_BITS,
    publicKeyEncoding: {type: 'spki', format: 'pem'},
    privateKeyEncoding: {type: 'pkcs8', format: 'pem'},
  })
  return {key: privateKey, since: new Date().toISOString()}
}

function parsed(text: string): {readonly keys?: unknown} {
  try {
    return (JSON.parse(text) as {readonly keys?: unknown} | null) ?? {}
  } catch {
    return {}
  }
}

function isAuthorityKey(value: unknown): value is AuthorityKey {
  const {key, since} = (value ?? {}) as Partial<Record<keyof AuthorityKey, unknown>>
  return typeof key === 'string' && typeof since === 'string'
}
