import {existsSync} from 'node:fs'
import {mkdir, readdir, stat, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {afterEach, beforeEach, describe, expect, it, vi} from 'vitest'
import {thisOwner} from '../../../src/state/files/remove-leftovers.ts'
import {temporaryDirectory} from '../../../src/state/files/temporary-directory.ts'
import {testDirectory} from '../../support/test-directory.ts'

let parent: string
beforeEach(async () => {
  parent = testDirectory()
  vi.stubEnv('TMPDIR', parent)
})
afterEach(async () => {
  vi.unstubAllEnvs()
})

/** A process that makes a temporary directory, prints its path, and ends by this statement. */
async function directoryOf(ending: string): Promise<string> {
  const module = JSON.stringify(new URL('../../../src/state/files/temporary-directory.ts', import.meta.url))
  const script = `import {temporaryDirectory} from ${module}
    console.log((await temporaryDirectory('kk-test-')).path)
    ${ending}`
  const {stdout} = await execa({reject: false})('node', ['--input-type=module', '--eval', script], {
    preferLocal: true,
  })
  expect(stdout).toMatch(/kk-test-/)
  return stdout
}

it('a temporary directory is private to its owner, and deleted by remove()', async () => {
  const directory = await temporaryDirectory('kk-test-')
  expect((await stat(directory.path)).mode & 0o777).toBe(0o700)

  await directory.remove()

  expect(existsSync(directory.path)).toBe(false)
})

it('a temporary directory is deleted if the process exits without removing it', async () => {
  expect(existsSync(await directoryOf('process.exit(130)'))).toBe(false)
})

describe.runIf(process.platform === 'linux')('the temporary directory of a killed process', () => {
  const KILL = "process.kill(process.pid, 'SIGKILL')"

  it('is deleted when the next one is created', async () => {
    const left = await directoryOf(KILL)
    await writeFile(join(left, 'Chart.yaml'), '')

    const next = await temporaryDirectory('kk-other-')
    const nextButOne = await temporaryDirectory('kk-other-')

    expect(existsSync(left)).toBe(false)
    expect(existsSync(next.path)).toBe(true)
    await next.remove()
    await nextButOne.remove()
  })

  it('is kept while a surviving helm uses it', async () => {
    const left = await directoryOf(KILL)
    const helm = execa('sh', ['-c', 'read line', 'helm', join(left, '0/chart')])
    await (await temporaryDirectory('kk-other-')).remove()
    expect(existsSync(left)).toBe(true)

    helm.stdin.end('\n')
    await helm
    await (await temporaryDirectory('kk-other-')).remove()

    expect(existsSync(left)).toBe(false)
  })

  it('is kept if nothing can be proved: another machine, another name, no directory', async () => {
    const {place} = (await thisOwner())!
    const others = [`kk-run-1-2-${'0'.repeat(16)}-abcdef`, 'kk-run-abcdef', `mine-1-2-${place}-abcdef`]
    for (const other of others) await mkdir(join(parent, other))
    const file = `kk-run-1-2-${place}-abcdef`
    await writeFile(join(parent, file), '')

    await (await temporaryDirectory('kk-other-')).remove()

    expect((await readdir(parent)).toSorted()).toEqual([...others, file].toSorted())
  })
})

describe('KK_FILE of an unwritable directory', () => {
  it('is reported for a missing temp folder', async () => {
    vi.stubEnv('TMPDIR', join(parent, 'missing'))

    await expect(temporaryDirectory('kk-test-')).rejects.toMatchObject({
      code: 'KK_FILE',
      message: `the directory ${parent}/missing cannot be written (ENOENT); nothing was changed`,
      hint: expect.stringContaining('TMPDIR'),
    })
  })

  it.each([
    ['a full disk', {syscall: 'write', code: 'ENOSPC'}],
    ['a file limit', {syscall: 'write', code: 'EFBIG'}],
  ])('is reported for %s', async (_, failure) => {
    const directory = await temporaryDirectory('kk-test-')

    const filled = directory.fill(() => Promise.reject(Object.assign(new Error(failure.code), failure)))

    await expect(filled).rejects.toMatchObject({
      code: 'KK_FILE',
      message: `the directory ${directory.path} cannot be written (${failure.code}); nothing was changed`,
    })
    await directory.remove()
  })

  it('is not reported for errors elsewhere or of another kind', async () => {
    const directory = await temporaryDirectory('kk-test-')
    const fill = (error: Error) => directory.fill(() => Promise.reject(error))

    await expect(fill(new TypeError('x'))).rejects.toBeInstanceOf(TypeError)
    await expect(directory.fill(() => stat(join(parent, 'chart')))).rejects.toMatchObject({code: 'ENOENT'})
    await directory.remove()
  })
})
