import {cp, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {beforeAll, expect, it} from 'vitest'
import {faultsSince} from '../../scripts/chart-versions.ts'
import {CHARTS} from '../own-charts/support/charts.ts'
import {testDirectory} from '../support/test-directory.ts'

let root: string
beforeAll(async () => {
  root = testDirectory()
  for (const chart of ['common', 'glance', 'horizon', 'memcached'])
    await cp(join(CHARTS, chart), join(root, 'charts', chart), {recursive: true})
  const git = (...args: readonly string[]) =>
    execa('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {cwd: root})
  await git('init', '--quiet')
  await git('add', '.')
  await git('commit', '--quiet', '--message', 'one')
})

async function edit(path: string, change: (text: string) => string): Promise<void> {
  const file = join(root, 'charts', path)
  await writeFile(file, change(await readFile(file, 'utf8')))
}

const raised = (text: string) => text.replace('version: 0.1.0', 'version: 0.1.1')
const told = (text: string) => `${text}  artifacthub.io/changes: |\n    - A comment.\n`

it('a changed chart needs another version and a description of the change', async () => {
  const untouched = await faultsSince(root, 'HEAD')
  await edit('glance/values.yaml', (text) => `${text}# A comment.\n`)
  await edit('memcached/Chart.yaml', raised)
  const first = await faultsSince(root, 'HEAD')
  await edit('glance/Chart.yaml', (text) => told(raised(text)))
  await edit('memcached/Chart.yaml', told)
  const mended = await faultsSince(root, 'HEAD')

  expect(untouched).toEqual([])
  expect(first).toEqual([
    'glance has changed, and is 0.1.0 still: raise its version, and say what changed (artifacthub.io/changes)',
    'memcached 0.1.1 does not say what changed since 0.1.0 (artifacthub.io/changes)',
  ])
  expect(mended).toEqual([])
})

it('a change of the library is a change of every chart', async () => {
  await edit('common/values.yaml', (text) => `${text}# A comment.\n`)

  expect((await faultsSince(root, 'HEAD')).map((fault) => fault.split(' ')[0])).toEqual(['horizon'])
})
