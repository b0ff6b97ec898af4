import {generateKeyPairSync} from 'node:crypto'
import {KkError} from '../../base/errors.ts'

/**
 * The keys of a certificate authority, newest first: the next one, which does not sign yet, the present one,
 * and the former one. Clients trust all three, so that servers and clients can be upgraded in any order
 * during a rotation.
 */
export interface Authority {
  readonly keys: readonly AuthorityKey[]
}

export interface AuthorityKey {
  /** A private RSA key in PEM (PKCS #8). */
  readonly key: string
  /** The creation time, ISO 8601. */
  readonly since: string
  /** The time at which it began to sign, if that is later: all its certificates are valid from then on. */
  readonly present?: string
}

const RSA_BITS = 3072

/**
 * Returns the keys of a new authority as a string, or those after a rotation. Throws `KK_TLS` for an invalid
 * `former`.
 */
export function makeAuthority(former?: string): string {
  if (former === undefined) return formatKeys([authorityKey(), authorityKey()])
  const [next, present] = readAuthority(former).keys
  return formatKeys([authorityKey(), {...next!, present: new Date().toISOString()}, present!])
}

function formatKeys(keys: readonly AuthorityKey[]): string {
  return JSON.stringify({keys} satisfies Authority)
}

/** Reads the keys of an authority from a string. Throws `KK_TLS`. */
export function readAuthority(text: string): Authority {
  const {keys} = parsed(text)
  if (!Array.isArray(keys) || keys.length < 2 || !keys.every(isAuthorityKey)) {
    throw new KkError(
      'KK_TLS',
      'the stored secret tls.authority is no authority of kk: expected its keys as kk made them',
      {
        hint: 'restore the former value; or remove tls.authority from the Secret in kk-system, and the next deploy creates another',
      },
    )
  }
  return {keys}
}

/** Returns the key that signs. */
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
