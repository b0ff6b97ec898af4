import {readdir, stat, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeEach, describe, expect, it} from 'vitest'
import {makeDirectory} from '../../../src/state/files/make-directory.ts'
import {testDirectory} from '../../support/test-directory.ts'

let directory: string
beforeEach(async () => {
  directory = testDirectory()
})

describe('makeDirectory', () => {
  it('creates missing directories with the mode, and nothing if all exist', async () => {
    await makeDirectory(join(directory, 'a/b/c'), {mode: 0o700})
    await makeDirectory(join(directory, 'a/b/c'))

    expect((await stat(join(directory, 'a/b/c'))).mode & 0o777).toBe(0o700)
    expect(await readdir(join(directory, 'a/b'))).toEqual(['c'])
  })

  it('can create the same directory concurrently', async () => {
    await Promise.all(Array.from({length: 20}, () => makeDirectory(join(directory, 'a/b/c'))))

    expect(await readdir(join(directory, 'a/b'))).toEqual(['c'])
  })

  it.each(['/proc/x/y', '/proc/self/x', '/proc/1/x/y/z'])('%s is refused at once', async (path) => {
    await expect(makeDirectory(path)).rejects.toMatchObject({
      code: 'KK_FILE',
      message: expect.stringMatching(
        new RegExp(`^the directory ${path} cannot be created \\(E(NOENT|ACCES)`),
      ),
    })
  })

  it('names the file in the path', async () => {
    await writeFile(join(directory, 'file'), '')

    await expect(makeDirectory(join(directory, 'file/x/y'))).rejects.toMatchObject({
      code: 'KK_FILE',
      message: `the directory ${directory}/file/x/y cannot be created (ENOTDIR at ${directory}/file)`,
    })
  })
})

describe('the sources', () => {
  it('create directories with parents only by makeDirectory', async () => {
    const {globSync, readFileSync} = await import('node:fs')
    const source = join(import.meta.dirname, '../../../src')

    const files = globSync('**/*.ts', {cwd: source})
    const found = files.filter((file) =>
      /mkdir(?:Sync)?\([^;\n]*recursive: true/.test(readFileSync(join(source, file), 'utf8')),
    )

    expect(files).toContain('state/files/make-directory.ts')
    expect(found).toEqual([])
  })
})
