import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, expect, it} from 'vitest'
import {readNamedFile} from '../../../src/state/files/named-file.ts'
import {testDirectory} from '../../support/test-directory.ts'

let directory: string
beforeAll(async () => {
  directory = testDirectory()
})

async function written(bytes: Buffer): Promise<string> {
  const file = join(directory, 'file')
  await writeFile(file, bytes)
  return file
}

it.each([
  ['in UTF-8', Buffer.from('a: é\n'), 'a: é\n'],
  ['with a byte order mark', Buffer.from('\ufeffa: 1'), 'a: 1'],
  ['that is empty', Buffer.alloc(0), ''],
])('reads a file %s', async (_, bytes, text) => {
  expect(await readNamedFile(await written(bytes))).toBe(text)
})

it.each([
  ['Latin-1', Buffer.from('user: kk\npassword: é\nport: 1\n', 'latin1'), 2],
  ['Latin-1 in the last line', Buffer.from('a: é', 'latin1'), 1],
  ['UTF-16', Buffer.from('\ufeffa: 1\n', 'utf16le'), 1],
])('refuses a file in %s with its line', async (_, bytes, line) => {
  const file = await written(bytes)

  await expect(readNamedFile(file, {what: '--values file'})).rejects.toMatchObject({
    code: 'KK_FILE',
    message: `--values file:${line}: expected UTF-8 text, got other bytes`,
  })
})

it('reports a missing file', async () => {
  await expect(readNamedFile(join(directory, 'none'))).rejects.toMatchObject({
    code: 'KK_FILE',
    message: `${directory}/none: the file cannot be read (ENOENT)`,
  })
})
