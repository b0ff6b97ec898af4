import {cp, readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {expect, it} from 'vitest'
import {writeFiles} from '../charts/support/write-files.ts'

const ROOT = join(import.meta.dirname, '../..')
const {scripts} = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}
/** Has the program take itself for one that cannot run TypeScript. */
const OLD = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.11.0'}})`

it.each(Object.entries(scripts).filter(([, line]) => line.includes('.ts')))(
  'npm run %s starts with any Node, and uses that of .nvmrc: %s',
  (_, line) => {
    expect(line).toMatch(/^node scripts\/node\.mjs \S+\.ts$/)
  },
)

it.each([
  ['this Node', []],
  ['an older one', ['--import', OLD]],
])('a TypeScript file is run by the Node of .nvmrc if started by %s', async (_, options) => {
  const result = await execa(process.execPath, [...options, 'scripts/node.mjs', 'bin/kk.ts', '--version'], {
    cwd: ROOT,
  })

  expect(result.stdout).toContain(`node-${process.version}`)
})

it('the exit code is that of the file', async () => {
  const words = ['--import', OLD, 'scripts/node.mjs', 'bin/kk.ts', 'deplyo']

  expect((await execa(process.execPath, words, {cwd: ROOT, reject: false})).exitCode).toBe(2)
})

it('an older Node reports a missing package of the Node in .nvmrc', async () => {
  const clone = writeFiles({})
  for (const file of ['scripts/node.mjs', '.nvmrc']) await cp(join(ROOT, file), join(clone, file))

  const words = ['--import', OLD, 'scripts/node.mjs', 'scripts/charts.ts']
  const {exitCode, stderr} = await execa(process.execPath, words, {cwd: clone, reject: false})

  expect(exitCode).toBe(2)
  expect(stderr).toMatch(/^expected Node 26, got v.*: run "npm ci"/)
})
