import {mkdtemp, readdir, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join, resolve} from 'node:path'
import {afterEach, beforeEach, expect, it} from 'vitest'
import {expectWritable} from '../../../src/report/files/places.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kk-reports-'))
  await writeFile(join(directory, 'file'), '')
})
afterEach(() => rm(directory, {recursive: true}))

const ask = (file: string) => expectWritable([{kind: 'html', file: resolve(directory, file)}])

it.each(['run.html', 'file', 'new/deep/run.html'])('%s can be written', async (file) => {
  await expect(ask(file)).resolves.toBeUndefined()
  expect(await readdir(directory)).toEqual(['file'])
})

it.each([
  ['.', 'is a directory'],
  ['file/run.html', 'file is not a directory'],
  ['file/new/run.html', 'file is not a directory'],
  ['/proc/run.html', 'the directory /proc is not writable'],
])('%s cannot', async (file, why) => {
  await expect(ask(file)).rejects.toMatchObject({code: 'KK_USAGE', message: expect.stringContaining(why)})
})
