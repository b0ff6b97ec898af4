import {mkdir, writeFile} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {beforeEach, describe, expect, it} from 'vitest'
import {chooseEnvironmentFile, splitArguments} from '../../src/environment/choose.ts'
import {testDirectory} from '../support/test-directory.ts'

describe('splitArguments', () => {
  it.each([
    [[], undefined, []],
    [['prod.yaml', 'nova'], 'prod.yaml', ['nova']],
    [['nova', 'envs/prod.yml', 'glance'], 'envs/prod.yml', ['nova', 'glance']],
    [['nova', '-'], '-', ['nova']],
    [['nova'], undefined, ['nova']],
  ])('takes, of %j, the file %s and the releases %j', (args, file, releases) => {
    expect(splitArguments(args)).toEqual({file, releases})
  })

  it('refuses two files', () => {
    expect(() => splitArguments(['a.yaml', 'b.yaml'])).toThrow(
      expect.objectContaining({
        code: 'KK_USAGE',
        message: 'expected one environment file, got a.yaml and b.yaml',
      }),
    )
  })
})

describe('chooseEnvironmentFile', () => {
  let cwd: string
  beforeEach(async () => {
    cwd = testDirectory()
  })

  async function present(...files: string[]): Promise<void> {
    for (const file of files) {
      await mkdir(dirname(join(cwd, file)), {recursive: true})
      await writeFile(join(cwd, file), '')
    }
  }

  it.each([
    ['the argument', {argument: 'a.yaml', env: {KK_ENVIRONMENT: 'c.yaml'}}, 'a.yaml'],
    ['-e', {flag: 'b.txt', env: {KK_ENVIRONMENT: 'c.yaml'}}, 'b.txt'],
    ['both, if they agree', {argument: 'a.yaml', flag: 'a.yaml', env: {}}, 'a.yaml'],
    ['else KK_ENVIRONMENT', {env: {KK_ENVIRONMENT: 'c.yaml'}}, 'c.yaml'],
    ['else kk.yaml', {env: {KK_ENVIRONMENT: ''}}, 'kk.yaml'],
  ])('returns %s', async (_, choice, expected) => {
    await present('kk.yaml', 'environments/one.yaml')

    expect(await chooseEnvironmentFile({...choice, cwd})).toBe(expected)
  })

  it('otherwise returns the only file in environments', async () => {
    await present('environments/one.yaml', 'environments/README.md')

    expect(await chooseEnvironmentFile({env: {}, cwd})).toBe('environments/one.yaml')
  })

  it('lists all files if there are several', async () => {
    await present('environments/b.yml', 'environments/a.yaml')

    await expect(chooseEnvironmentFile({env: {}, cwd})).rejects.toMatchObject({
      code: 'KK_NO_ENVIRONMENT',
      message:
        'no environment file was named, and there are several: environments/a.yaml, environments/b.yml',
    })
  })

  it('reports that there is no file', async () => {
    await expect(chooseEnvironmentFile({env: {}, cwd})).rejects.toMatchObject({
      code: 'KK_NO_ENVIRONMENT',
      exit: 2,
    })
  })

  it('refuses two different files', async () => {
    await expect(
      chooseEnvironmentFile({argument: 'a.yaml', flag: 'b.yaml', env: {}, cwd}),
    ).rejects.toMatchObject({
      code: 'KK_USAGE',
      message: 'expected one environment file, got a.yaml and -e b.yaml',
    })
  })
})
