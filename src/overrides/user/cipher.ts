import {createCipheriv, createDecipheriv, randomBytes} from 'node:crypto'
import {KkError} from '../../base/errors.ts'
import {type StoreKey, type StoreKeys, withExistingKeyHint} from './keys.ts'

/** The row of an encrypted string; it is authenticated, so that the string cannot be moved to another row. */
type RowOfText = readonly [kind: 'overrides' | 'audit' | 'secret', ...row: string[]]

/** Encrypts strings with secrets. All methods throw `KK_STORE_KEY` without the right key. */
export interface Cipher {
  seal(text: string, row: RowOfText): string
  /** Decrypts a string; returns one that is not encrypted unchanged. */
  open(text: string, row: RowOfText): string
  /** Throws `KK_STORE_KEY` unless every one of these keys is available. */
  expectKeys(ids: readonly string[]): void
}

/**
 * Version 1: AES-256-GCM with a random nonce; base64 of nonce, tag and ciphertext in one word, unlike any
 * YAML map.
 */
const SEALED = /^kk-sealed:v1:([0-9a-f]{8}):([A-Za-z0-9+/]+=*)$/
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** The prefix of an encrypted string, and its length including the key's id. */
export const SEALED_HEAD = {begin: 'kk-sealed:v1:', length: 'kk-sealed:v1:'.length + 8} as const

export function isSealed(text: string): boolean {
  return SEALED.test(text)
}

/** Returns a cipher. It requests its keys when it first encrypts or decrypts, and only once. */
export function createCipher(ask: () => StoreKeys): Cipher {
  let cached: StoreKeys | undefined
  const keys = () => {
    cached ??= ask()
    return cached
  }
  return {
    seal: (text, row) => seal(keys()[0], text, row),
    open(text, row) {
      const [, id, content] = SEALED.exec(text) ?? []
      if (id === undefined || content === undefined) return text
      return openSealed(findKey(id, keysToOpen(keys)), Buffer.from(content, 'base64'), row)
    },
    expectKeys(ids) {
      for (const id of ids) findKey(id, keysToOpen(keys))
    },
  }
}

function keysToOpen(keys: () => StoreKeys): StoreKeys {
  try {
    return keys()
  } catch (error) {
    throw error instanceof KkError ? withExistingKeyHint(error) : error
  }
}

function seal({id, bytes}: StoreKey, text: string, row: RowOfText): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', bytes, nonce).setAAD(authenticated(row))
  const content = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return `kk-sealed:v1:${id}:${Buffer.concat([nonce, cipher.getAuthTag(), content]).toString('base64')}`
}

function openSealed({bytes}: StoreKey, sealed: Buffer, row: RowOfText): string {
  const nonce = sealed.subarray(0, NONCE_BYTES)
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
  try {
    const decipher = createDecipheriv('aes-256-gcm', bytes, nonce, {authTagLength: TAG_BYTES})
      .setAAD(authenticated(row))
      .setAuthTag(tag)
    const content = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES))
    return Buffer.concat([content, decipher.final()]).toString('utf8')
  } catch {
    const [kind, ...names] = row
    throw new KkError(
      'KK_STORE_KEY',
      `the encrypted string in the store (${kind} of ${names.slice(0, 2).join(' in ')}) is damaged, or was moved there from another row`,
      {hint: 'restore the store from a backup, or set this entry again'},
    )
  }
}

function findKey(id: string, keys: StoreKeys): StoreKey {
  const key = keys.find((each) => each.id === id)
  if (key) return key
  const available = keys.map((each) => each.id).join(', ')
  throw new KkError(
    'KK_STORE_KEY',
    `the store was encrypted with key ${id}, but key ${available} was given`,
    {
      hint: 'set the key with which it was encrypted; several may be in the file of KK_STORE_KEY_FILE, the newest first',
    },
  )
}

function authenticated(row: RowOfText): Buffer {
  return Buffer.from(JSON.stringify(row))
}
