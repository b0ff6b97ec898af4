import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {Readable} from 'node:stream'
import {beforeAll, expect, it} from 'vitest'
import {loadEnvironment, loadSource} from '../../src/environment/load.ts'
import {testDirectory} from '../support/test-directory.ts'

let cwd: string
beforeAll(async () => {
  cwd = testDirectory()
  await writeFile(join(cwd, 'prod.eu.yaml'), 'kk: {charts: [charts]}\nmariadb: {}\n')
  await writeFile(join(cwd, 'latin.yaml'), Buffer.from([0x6d, 0x3a, 0x20, 0xe9]))
})

it('loadEnvironment takes the name from the file, and resolves relative paths in its directory', async () => {
  const environment = await loadEnvironment({file: 'prod.eu.yaml', cwd})

  expect(environment).toMatchObject({name: 'prod.eu', file: 'prod.eu.yaml', directory: cwd})
  expect(environment.charts).toEqual([{kind: 'directory', path: join(cwd, 'charts')}])
})

it('loadEnvironment reads - from standard input', async () => {
  const stdin = Readable.from(['kk: {name: piped}\n', 'mariadb: {}\n'])

  expect(await loadEnvironment({file: '-', cwd, stdin})).toMatchObject({
    name: 'piped',
    file: '-',
    directory: cwd,
  })
})

it.each([
  ['none.yaml', 'the environment file none.yaml cannot be read: there is no such file'],
  ['.', 'the environment file . cannot be read: it is a directory'],
  ['latin.yaml', 'latin.yaml:1: expected UTF-8 text, got other bytes'],
])('loadEnvironment refuses %s', async (file, message) => {
  await expect(loadSource({file, cwd})).rejects.toMatchObject({code: 'KK_FILE', message, exit: 2})
})

it.each([
  ['prod.eu.yml', 'did you mean prod.eu.yaml?'],
  ['./pord.eu.yaml', 'did you mean prod.eu.yaml?'],
  ['none.yaml', expect.stringContaining('name an environment file')],
])('loadEnvironment suggests the most similar file instead of the missing %s', async (file, hint) => {
  await expect(loadSource({file, cwd})).rejects.toMatchObject({code: 'KK_FILE', hint})
})
