import {chmodSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {keyFileWarning, parseKeys, storeKeys} from '../../../src/overrides/user/keys.ts'
import {testDirectory} from '../../support/test-directory.ts'

const BYTES = Buffer.from(Array.from({length: 32}, (_, index) => 255 - index))

describe('keys of a store', () => {
  it.each(['base64', 'base64url', 'hex'] as const)('are 32 bytes in %s', (encoding) => {
    const [key] = parseKeys(`${BYTES.toString(encoding)}\n`, 'KK_STORE_KEY')

    expect(key.bytes).toEqual(BYTES)
    expect(key.id).toMatch(/^[0-9a-f]{8}$/)
  })

  it.each([
    'hunter2',
    BYTES.subarray(1).toString('base64'),
    `${BYTES.toString('hex')}00`,
    `${BYTES.toString('base64')}!`,
    `x${BYTES.toString('hex').slice(1)}`,
  ])('are not %j, which is not shown', (text) => {
    expect(() => parseKeys(text, 'KK_STORE_KEY')).toThrow(
      expect.objectContaining({code: 'KK_STORE_KEY', message: expect.not.stringContaining(text)}),
    )
  })

  it('come from the environment or a file, the newest first', async () => {
    const directory = testDirectory()
    const file = join(directory, 'keys')
    writeFileSync(file, `${BYTES.toString('base64')}\n${Buffer.alloc(32).toString('hex')}\n`)

    const ofFile = storeKeys({KK_STORE_KEY_FILE: file})
    const [ofVariable] = storeKeys({KK_STORE_KEY: BYTES.toString('base64')})

    expect(ofFile.map(({bytes}) => bytes)).toEqual([BYTES, Buffer.alloc(32)])
    expect(ofVariable).toEqual(ofFile[0])
  })

  it.each([
    [0o600, undefined],
    [0o400, undefined],
    [0o640, expect.stringMatching(/^warning: others can read .*keys \(mode 640\).*chmod 600/)],
    [0o604, expect.stringContaining('(mode 604)')],
  ])('in a file of the mode %o cause a warning if other users can read it', async (mode, warning) => {
    const directory = testDirectory()
    const file = join(directory, 'keys')
    writeFileSync(file, BYTES.toString('base64'))
    chmodSync(file, mode)

    const said = keyFileWarning({KK_STORE_KEY_FILE: file})

    expect(said).toEqual(warning)
  })

  it.each([{}, {KK_STORE_KEY_FILE: '/nowhere/key'}, {KK_STORE_KEY_FILE: '/dev/null'}])(
    'cause no warning without such a file: %j',
    (env) => {
      expect(keyFileWarning(env)).toBeUndefined()
    },
  )

  it.each([
    [{}, 'no key was given'],
    [{KK_STORE_KEY: 'a', KK_STORE_KEY_FILE: 'b'}, 'are both set'],
    [{KK_STORE_KEY_FILE: '/nowhere/key'}, '/nowhere/key of KK_STORE_KEY_FILE cannot be read (ENOENT)'],
    [{KK_STORE_KEY: ' '}, 'KK_STORE_KEY is empty'],
  ])('are reported as missing: %j', (env, message) => {
    expect(() => storeKeys(env)).toThrow(
      expect.objectContaining({
        code: 'KK_STORE_KEY',
        message: expect.stringContaining(message),
        hint: expect.stringContaining('openssl rand -base64 32'),
      }),
    )
  })
})
