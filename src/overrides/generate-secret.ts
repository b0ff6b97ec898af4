import {createHash, generateKeyPairSync, randomBytes, randomInt, randomUUID} from 'node:crypto'
import type {SecretNeed} from './system/plugin.ts'
import {makeAuthority} from './tls/authority.ts'

const CLASSES = ['ABCDEFGHJKLMNPQRSTUVWXYZ', 'abcdefghijkmnopqrstuvwxyz', '23456789', '._-'] as const
const ALL = CLASSES.join('')
const PASSWORD_LENGTH = 24
const RSA_BITS = 3072
const CEPH_KEY_LENGTH = 16

/**
 * Returns a new password or key, from the operating system's random numbers. A password has letters of both
 * cases, digits and symbols without meaning in URLs, INI files, shells and YAML, and begins and ends with a
 * letter. A Fernet key is 32 bytes in base64url, as python-cryptography makes them; RSA is a private key in
 * PEM (PKCS #8); the key of a server, too, but on P-256; a Ceph key is an AES key. An authority that replaces
 * a former one contains the former keys.
 */
export function generateSecret(kind: SecretNeed['kind'], former?: string): string {
  const generators: Record<SecretNeed['kind'], () => string> = {
    password,
    token: () => randomBytes(32).toString('hex'),
    uuid: () => randomUUID(),
    fernet: () => `${randomBytes(32).toString('base64url')}=`,
    ceph: () => cephKey(randomBytes(CEPH_KEY_LENGTH)),
    authority: () => makeAuthority(former),
    server: () =>
      generateKeyPairSync('ec', {
        namedCurve: 'P-256',
        publicKeyEncoding: {type: 'spki', format: 'pem'},
        privateKeyEncoding: {type: 'pkcs8', format: 'pem'},
      }).privateKey,
    rsa: () =>
      generateKeyPairSync('rsa', {
        modulusLength: RSA_BITS,
        publicKeyEncoding: {type: 'spki', format: 'pem'},
        privateKeyEncoding: {type: 'pkcs8', format: 'pem'},
      }).privateKey,
  }
  return generators[kind]()
}

/**
 * Returns a deterministic placeholder of the given kind for a secret that does not exist yet, for commands
 * that only render.
 */
export function placeholderSecret(kind: SecretNeed['kind'], name: string): string {
  const bytes = createHash('sha256').update(`stands for ${name}`).digest()
  const hex = bytes.toString('hex')
  const uuid = [8, 4, 4, 4, 12].map((length, index) => hex.slice(index * 4, index * 4 + length)).join('-')
  const makers: Record<SecretNeed['kind'], () => string> = {
    password: () => `x${hex.slice(0, PASSWORD_LENGTH - 2)}x`,
    token: () => hex,
    uuid: () => uuid,
    fernet: () => `${bytes.toString('base64url')}=`,
    ceph: () => cephKey(bytes.subarray(0, CEPH_KEY_LENGTH)),
    rsa: () => generateSecret('rsa'),
    authority: () => generateSecret('authority'),
    server: () => generateSecret('server'),
  }
  return makers[kind]()
}

/**
 * Encodes a key as Ceph's `CryptoKey::encode`: the type (1, AES), the creation time, which is unused, the
 * length, and the key.
 */
function cephKey(key: Buffer): string {
  const head = Buffer.alloc(12)
  head.writeUInt16LE(1, 0)
  head.writeUInt16LE(key.length, 10)
  return Buffer.concat([head, key]).toString('base64')
}

/** Returns one character of each class and further ones of any, shuffled, between two letters. */
function password(): string {
  const letters = CLASSES[0] + CLASSES[1]
  const inner = [
    ...CLASSES.map(pick),
    ...Array.from({length: PASSWORD_LENGTH - CLASSES.length - 2}, () => pick(ALL)),
  ]
  return [pick(letters), ...shuffled(inner), pick(letters)].join('')
}

function pick(characters: string): string {
  return characters[randomInt(characters.length)]!
}

/** Shuffles by Fisher and Yates. */
function shuffled(items: readonly string[]): readonly string[] {
  const result = [...items]
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = randomInt(last + 1)
    ;[result[last], result[other]] = [result[other]!, result[last]!]
  }
  return result
}
