import {createHash} from 'node:crypto'
import {readFileSync} from 'node:fs'
import {KkError} from '../../base/errors.ts'
import {readByOthersWarning} from '../../state/files/read-by-others.ts'

/** A key of AES-256, and the id that encrypted strings contain. */
export interface StoreKey {
  readonly id: string
  readonly bytes: Buffer
}

/** The first key encrypts; all decrypt, so that a new key can be put before an old one. */
export type StoreKeys = readonly [StoreKey, ...StoreKey[]]

const GIVE =
  'set the key with which the store was encrypted, as KK_STORE_KEY or in a file as KK_STORE_KEY_FILE; several may be in the file, the newest first'

type Environment = Readonly<Record<string, string | undefined>>

const KEY_BYTES = 32
const HINT =
  'make a key with `openssl rand -base64 32`, keep it apart from the store, and set it as KK_STORE_KEY or in a file as KK_STORE_KEY_FILE'

/**
 * Returns the keys of `KK_STORE_KEY` or the lines of the file `KK_STORE_KEY_FILE`. Throws `KK_STORE_KEY`
 * without any.
 */
export function storeKeys(env: Environment): StoreKeys {
  const {KK_STORE_KEY: text, KK_STORE_KEY_FILE: file} = env
  if (text && file) throw keyError('KK_STORE_KEY and KK_STORE_KEY_FILE are both set: expected one of them')
  if (text) return parseKeys(text, 'KK_STORE_KEY')
  if (file) return parseKeys(readKeyFile(file), file)
  throw keyError('the store keeps secrets encrypted, and no key was given')
}

/** Throws as `storeKeys` does if a variable is set to an invalid key; both may be unset. */
export function expectReadableKeys(env: Environment): void {
  if (env.KK_STORE_KEY || env.KK_STORE_KEY_FILE) storeKeys(env)
}

/**
 * Reads keys of 32 bytes in base64 or hexadecimal, separated by white space. The messages never contain the
 * input.
 */
export function parseKeys(text: string, source: string): StoreKeys {
  const [first, ...rest] = text.split(/\s+/).filter((word) => word !== '')
  if (first === undefined) throw keyError(`${source} is empty: expected a key`)
  return [parseKey(first, source), ...rest.map((each) => parseKey(each, source))]
}

function parseKey(text: string, source: string): StoreKey {
  const bytes = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64')
  const canonical = [bytes.toString('base64'), bytes.toString('base64url')].some(
    (each) => each.replaceAll('=', '') === text.replaceAll('=', ''),
  )
  const valid = bytes.length === KEY_BYTES && (canonical || text.length === 2 * KEY_BYTES)
  if (!valid)
    throw keyError(`${source} does not hold a key: expected ${KEY_BYTES} bytes in base64 or hexadecimal`)
  return {id: createHash('sha256').update('kk store key').update(bytes).digest('hex').slice(0, 8), bytes}
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException
    throw keyError(`the file ${path} of KK_STORE_KEY_FILE cannot be read (${code})`)
  }
}

/** Returns the error with the hint to set the existing key, because a new key would not decrypt the store. */
export function withExistingKeyHint({message}: KkError): KkError {
  return new KkError('KK_STORE_KEY', message, {hint: GIVE})
}

function keyError(message: string): KkError {
  return new KkError('KK_STORE_KEY', message, {hint: HINT})
}

/** Returns a warning if other users than the owner may read the file `KK_STORE_KEY_FILE`, else undefined. */
export function keyFileWarning({
  KK_STORE_KEY_FILE: file,
}: Readonly<Record<string, string | undefined>>): string | undefined {
  return file ? readByOthersWarning(file, 'the key of the store') : undefined
}
