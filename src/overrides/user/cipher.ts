import {createCipheriv, createDecipheriv, randomBytes} from 'node:crypto'
import {KkError} from '../../base/errors.ts'
import {type StoreKey, type StoreKeys, withKeyToGive} from './keys.ts'

/** The row that a text belongs to; it is authenticated with the text, so that nobody can move it to another row. */
type RowOfText = readonly [kind: 'overrides' | 'audit' | 'secret', ...row: string[]]

/** Encrypts what holds secrets. Both throw `KK_STORE_KEY` without the right key. */
export interface Cipher {
  seal(text: string, row: RowOfText): string
  /** Gives a text back as it is when it is not encrypted. */
  open(text: string, row: RowOfText): string
  /** Throws, too, unless what was encrypted with the keys of these names could be opened. */
  expectKeys(ids: readonly string[]): void
}

/** Version 1: AES-256-GCM with a random nonce; base64 of nonce, tag and text, all in one word, as no YAML map is. */
const SEALED = /^kk-sealed:v1:([0-9a-f]{8}):([A-Za-z0-9+/]+=*)$/
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** The beginning of an encrypted text, and its length up to the end of the key's name. */
export const SEALED_HEAD = {begin: 'kk-sealed:v1:', length: 'kk-sealed:v1:'.length + 8} as const

export function isSealed(text: string): boolean {
  return SEALED.test(text)
}

/** Returns a cipher. Its keys are asked for when something is to be encrypted or decrypted, not before, and not again once there are some. */
export function createCipher(ask: () => StoreKeys): Cipher {
  let asked: StoreKeys | undefined
  const keys = () => {
    asked ??= ask()
    return asked
  }
  return {
    seal: (text, row) => seal(keys()[0], text, row),
    open(text, row) {
      const [, id, content] = SEALED.exec(text) ?? []
      if (id === undefined || content === undefined) return text
      return openSealed(keyOf(id, keysToOpen(keys)), Buffer.from(content, 'base64'), row)
    },
    expectKeys(ids) {
      for (const id of ids) keyOf(id, keysToOpen(keys))
    },
  }
}

function keysToOpen(keys: () => StoreKeys): StoreKeys {
  try {
    return keys()
  } catch (error) {
    throw error instanceof KkError ? withKeyToGive(error) : error
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
      `the encrypted text in the store (${kind} of ${names.slice(0, 2).join(' in ')}) is damaged, or was moved there from another row`,
      {hint: 'restore the store from a backup, or set this entry again'},
    )
  }
}

function keyOf(id: string, keys: StoreKeys): StoreKey {
  const key = keys.find((each) => each.id === id)
  if (key) return key
  const given = keys.map((each) => each.id).join(', ')
  throw new KkError('KK_STORE_KEY', `the store was encrypted with key ${id}, but key ${given} was given`, {
    hint: 'give the key with which it was encrypted; several may stand in the file of KK_STORE_KEY_FILE, the newest first',
  })
}

function authenticated(row: RowOfText): Buffer {
  return Buffer.from(JSON.stringify(row))
}
