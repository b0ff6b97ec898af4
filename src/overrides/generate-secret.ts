import {createHash, generateKeyPairSync, randomBytes, randomInt, randomUUID} from 'node:crypto'
import type {SecretNeed} from './system/plugin.ts'
import {makeAuthority} from './tls/authority.ts'

const CLASSES = ['ABCDEFGHJKLMNPQRSTUVWXYZ', 'abcdefghijkmnopqrstuvwxyz', '23456789', '._-'] as const
const ALL = CLASSES.join('')
const PASSWORD_LENGTH = 24
const RSA_BITS = 3072
const CEPH_KEY_LENGTH = 16

/**
 * Returns a new password or key, from the operating system's random numbers. A password has letters of both cases, digits and
 * symbols that mean nothing in URLs, INI files, shells and YAML, and begins and ends with a letter. A Fernet key is 32
 * bytes in base64url, as python-cryptography makes them; RSA is a private key in PEM (PKCS #8), and so is that of a server, on P-256; a key of Ceph is for AES. An authority that
 * takes the place of a former one knows its keys.
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

/** Returns a stand-in for a secret that nobody keeps yet, where charts are only looked at: of its kind, and always the same. */
export function standInSecret(kind: SecretNeed['kind'], name: string): string {
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

/** Ceph's `CryptoKey::encode`: the type (1, AES), the time at which it was made, which nobody reads, the length, and the key. */
function cephKey(key: Buffer): string {
  const head = Buffer.alloc(12)
  head.writeUInt16LE(1, 0)
  head.writeUInt16LE(key.length, 10)
  return Buffer.concat([head, key]).toString('base64')
}

/** One of each class, the rest of any, shuffled between a letter at either end. */
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

/** Fisher and Yates. */
function shuffled(items: readonly string[]): readonly string[] {
  const result = [...items]
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = randomInt(last + 1)
    ;[result[last], result[other]] = [result[other]!, result[last]!]
  }
  return result
}
