import {stat, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {beforeAll, expect, it} from 'vitest'
import {writeStripped} from '../../../scripts/build/stripped.ts'
import {testDirectory} from '../../support/test-directory.ts'

let directory: string
beforeAll(async () => {
  directory = testDirectory()
})

it('a Node without its symbols is smaller, and runs', async () => {
  const stripped = join(directory, 'node')

  writeStripped(process.execPath, stripped)

  const {stdout} = await execa(stripped, ['--print', '6 * 7'])
  expect(stdout).toBe('42')
  expect((await stat(stripped)).size).toBeLessThan((await stat(process.execPath)).size * 0.9)
})

it('a file that is not an executable is refused', async () => {
  const file = join(directory, 'text')
  await writeFile(file, 'a text that is long enough to be read as a header of an executable, and is none')

  expect(() => writeStripped(file, join(directory, 'out'))).toThrow('expected an executable (ELF)')
})
