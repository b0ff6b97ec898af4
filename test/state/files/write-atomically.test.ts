import {mkdir, readdir, readFile, stat, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeEach, describe, expect, it} from 'vitest'
import {writeAtomically} from '../../../src/state/files/write-atomically.ts'
import {testDirectory} from '../../support/test-directory.ts'

let directory: string
beforeEach(async () => {
  directory = testDirectory()
})

describe('writeAtomically', () => {
  it('creates the parent directories of the file', async () => {
    await writeAtomically(join(directory, 'a/b/file'), 'text')

    expect(await readFile(join(directory, 'a/b/file'), 'utf8')).toBe('text')
  })

  it('replaces a file and leaves no other file', async () => {
    await writeFile(join(directory, 'file'), 'old and longer')

    await writeAtomically(join(directory, 'file'), 'new')

    expect(await readFile(join(directory, 'file'), 'utf8')).toBe('new')
    expect(await readdir(directory)).toEqual(['file'])
  })

  it.each([0o600, 0o644, 0o666])('gives mode %o whatever the umask', async (mode) => {
    await writeAtomically(join(directory, 'file'), 'text', {mode})

    expect((await stat(join(directory, 'file'))).mode & 0o777).toBe(mode)
  })

  it('leaves no other file if the file cannot be replaced', async () => {
    await mkdir(join(directory, 'file'))

    await expect(writeAtomically(join(directory, 'file'), 'text')).rejects.toThrow('EISDIR')

    expect(await readdir(directory)).toEqual(['file'])
  })
})
