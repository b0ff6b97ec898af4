import {once} from 'node:events'
import {lstat, mkdir, readdir, readFile, readlink, stat, symlink, writeFile} from 'node:fs/promises'
import {join, resolve} from 'node:path'
import {execa} from 'execa'
import {beforeEach, describe, expect, it} from 'vitest'
import {expectWritable, isPlainFile, writeNamedFile} from '../../../src/state/files/write-named-file.ts'
import {testDirectory} from '../../support/test-directory.ts'

let directory: string
beforeEach(async () => {
  directory = testDirectory()
  await writeFile(join(directory, 'file'), 'old')
})

const at = (name: string) => resolve(directory, name)

describe('writeNamedFile', () => {
  it.each([
    [undefined, 0o600],
    [0o644, 0o644],
  ])('replaces a file with mode %s as %i', async (mode, expected) => {
    await writeNamedFile(at('file'), 'new', mode === undefined ? {} : {mode})

    expect(await readFile(at('file'), 'utf8')).toBe('new')
    expect((await stat(at('file'))).mode & 0o777).toBe(expected)
    expect(await readdir(directory)).toEqual(['file'])
  })

  it.each([
    ['one that is there', 'file'],
    ['none yet', 'fresh'],
    ['another link', 'second'],
  ])('follows a link and keeps it: to %s', async (_, target) => {
    await mkdir(at('links'))
    await symlink('links/../fresh', at('second'))
    await symlink(`../${target}`, at('links/link'))

    await writeNamedFile(at('links/link'), 'new')

    expect(await readlink(at('links/link'))).toBe(`../${target}`)
    expect(await readFile(at('links/link'), 'utf8')).toBe('new')
    expect((await lstat(at(target === 'file' ? 'file' : 'fresh'))).isFile()).toBe(true)
  })

  it.each(['fifo', 'link'])('that is a FIFO, by its name or a link, is written to: %s', async (name) => {
    await execa('mkfifo', [at('fifo')])
    await symlink('fifo', at('link'))

    const [read] = await Promise.all([execa('cat', [at('fifo')]), writeNamedFile(at(name), 'new')])

    expect(read.stdout).toBe('new')
    expect((await lstat(at('fifo'))).isFIFO()).toBe(true)
    expect((await lstat(at('link'))).isSymbolicLink()).toBe(true)
  })

  it('waits for the reader of a FIFO, and lets kk exit', async () => {
    await execa('mkfifo', [at('fifo')])
    await writeFile(
      at('write.ts'),
      `import {writeNamedFile} from '${resolve('src/state/files/write-named-file.ts')}'
process.stdout.write('waits')
await writeNamedFile('fifo', 'new')`,
    )
    const child = execa('node', ['write.ts'], {cwd: directory, preferLocal: true, reject: false})
    await once(child.stdout, 'data')
    child.kill('SIGTERM')

    expect((await child).signal).toBe('SIGTERM')
  })

  it('writes - to standard output', async () => {
    await writeFile(
      at('write.ts'),
      `import {writeNamedFile} from '${resolve('src/state/files/write-named-file.ts')}'
await writeNamedFile('-', 'new')`,
    )

    expect((await execa('node', ['write.ts'], {cwd: directory, preferLocal: true})).stdout).toBe('new')
    expect(await readdir(directory)).not.toContain('-')
  })

  it.each([
    ['/dev/stdout', false],
    ['/dev/null', false],
    ['-', false],
    ['fresh', true],
    ['file', true],
  ])('recognizes %s as a plain file: %s', async (name, expected) => {
    expect(await isPlainFile(name.startsWith('/') || name === '-' ? name : at(name))).toBe(expected)
  })

  it.each([
    ['a socket', 'node write.ts', 'ace'],
    ['a pipe', 'node write.ts | cat', 'ace'],
    ['a file that is added to', 'node write.ts >> file; cat file', 'oldace'],
  ])('writes /dev/stdout to standard output: %s', async (_, command, expected) => {
    await symlink('/proc/self/fd/1', at('link'))
    await writeFile(
      at('write.ts'),
      `import {writeNamedFile} from '${resolve('src/state/files/write-named-file.ts')}'
process.stdout.write('a')
await writeNamedFile('link', 'c')
process.stdout.write('e')`,
    )

    const {stdout} = await execa(command, {shell: true, cwd: directory, preferLocal: true})

    expect(stdout).toBe(expected)
    expect(await readlink(at('link'))).toBe('/proc/self/fd/1')
  })
})

describe('an unwritable name', () => {
  it.each([
    ['.', 'it is a directory'],
    ['missing/file', 'there is no directory MISSING'],
    ['dangling', 'there is no directory MISSING'],
    ['file/below', 'there is no directory FILE'],
    ['file/further/below', 'there is no directory FILE/further'],
    ['loop', 'ELOOP'],
  ])('is refused and nothing is created: %s', async (name, why) => {
    await symlink(at('missing/file'), at('dangling'))
    await symlink('loop', at('loop'))
    const before = await readdir(directory)
    const says = why.replace('MISSING', at('missing')).replace('FILE', at('file'))
    const refusal = {code: 'KK_FILE', message: `${at(name)} cannot be written (${says})`}

    await expect(writeNamedFile(at(name), 'new')).rejects.toMatchObject(refusal)
    await expect(expectWritable(at(name))).rejects.toMatchObject(refusal)

    expect(await readdir(directory)).toEqual(before)
    expect(await readFile(at('file'), 'utf8')).toBe('old')
  })

  it('is detected before the write, also on a read-only file system', async () => {
    await expect(expectWritable('/proc/file')).rejects.toMatchObject({
      code: 'KK_FILE',
      message: '/proc/file cannot be written (you may not write to the directory /proc)',
    })
    await expect(expectWritable(at('fresh'))).resolves.toBeUndefined()
    expect(await readdir(directory)).toEqual(['file'])
  })
})
