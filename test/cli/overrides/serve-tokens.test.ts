import {chmodSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {beforeEach, describe, expect, it} from 'vitest'
import {servedTokens} from '../../../src/cli/overrides/serve.ts'
import {testDirectory} from '../../support/test-directory.ts'

const TOKEN = 't'.repeat(32)
const OTHER = 'o'.repeat(32)

let directory: string
let file: string
let said: string[]
beforeEach(async () => {
  directory = testDirectory()
  file = join(directory, 'tokens')
  writeFileSync(file, `read ${OTHER} ada\n`, {mode: 0o600})
  said = []
})
const tokens = (flag: string | undefined, env: Record<string, string>) =>
  servedTokens(flag, env, (line) => said.push(line))

describe('the tokens of kk serve', () => {
  it('contain KK_TOKEN with the scope write', async () => {
    const known = await tokens(undefined, {KK_TOKEN: TOKEN})

    expect(known?.callerOf(TOKEN)).toEqual({scope: 'write', name: 'token of KK_TOKEN'})
    expect(known?.callerOf(OTHER)).toBeUndefined()
  })

  it('are those of the token file if one is set, whatever KK_TOKEN contains', async () => {
    const known = await tokens(file, {KK_TOKEN: TOKEN})

    expect(known?.callerOf(OTHER)).toEqual({scope: 'read', name: 'ada'})
    expect(known?.callerOf(TOKEN)).toBeUndefined()
    expect(said).toEqual([])
  })

  it('are undefined if neither a token nor a file is set', async () => {
    expect(await tokens(undefined, {KK_TOKEN: '', KK_TOKEN_FILE: ''})).toBeUndefined()
  })

  it('are reported with a warning if other users can read the file', async () => {
    chmodSync(file, 0o644)

    await tokens(undefined, {KK_TOKEN_FILE: file})

    expect(said).toEqual([expect.stringMatching(/^warning: others can read the tokens .*\(mode 644\)/)])
  })

  it.each([
    [{KK_TOKEN: 'short'}, /^KK_TOKEN: expected a token of 16 characters or more/],
    [{KK_TOKEN: `write ${TOKEN}`}, /^KK_TOKEN: expected a token of 16/],
    [{KK_TOKEN: TOKEN, KK_TOKEN_FILE: 'tokens'}, /KK_TOKEN and KK_TOKEN_FILE are both set/],
  ])('are refused if the variables are %j, without printing a token', async (env, message) => {
    const refused = tokens(undefined, env)

    await expect(refused).rejects.toThrow(message)
    await expect(refused).rejects.not.toThrow(/short|ttt/)
  })
})
