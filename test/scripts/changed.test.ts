import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {expect, it} from 'vitest'
import {changedFiles, runsForChange} from '../../scripts/changed.ts'
import {testDirectory} from '../support/test-directory.ts'

const ALL = {programs: ['--project=programs'], e2e: ['--project=e2e']}
const IMPORTERS = {programs: ['--project=programs', '--changed'], e2e: ['--project=e2e', '--changed']}

it.each([
  ['nothing', [], IMPORTERS.programs, IMPORTERS.e2e],
  ['a page', ['docs/speed.md', 'README.md'], IMPORTERS.programs, IMPORTERS.e2e],
  ['a test and its support', ['test/e2e/support/kk.ts'], IMPORTERS.programs, IMPORTERS.e2e],
  ['a source', ['src/graph/order.ts', 'docs/speed.md'], IMPORTERS.programs, ALL.e2e],
  ['a chart', ['charts/nova/values.yaml'], ALL.programs, ALL.e2e],
  ['a fixture', ['test/fixtures/charts/workload/Chart.yaml'], ALL.programs, ALL.e2e],
  ['a library', ['package-lock.json', 'src/graph/order.ts'], ALL.programs, ALL.e2e],
])('a change of %s runs all tests that it can affect', (_, files, programs, e2e) => {
  expect(runsForChange(files)).toEqual([['--project=unit'], programs, e2e])
})

it('the commit to compare with is passed to vitest', () => {
  expect(runsForChange([], 'main')).toContainEqual(['--project=e2e', '--changed=main'])
})

it('changed files are those that differ from a commit, and new ones', async () => {
  const root = testDirectory()
  const git = (...args: readonly string[]) =>
    execa('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {cwd: root})
  await git('init', '--quiet')
  await Promise.all(['same', 'committed', 'staged', 'edited'].map((name) => writeFile(join(root, name), 'a')))
  await git('add', '.')
  await git('commit', '--quiet', '--message', 'one')
  await writeFile(join(root, 'committed'), 'b')
  await git('commit', '--quiet', '--all', '--message', 'two')
  await Promise.all(['staged', 'edited', 'new'].map((name) => writeFile(join(root, name), 'b')))
  await git('add', 'staged')

  expect(await changedFiles(root)).toEqual(['edited', 'staged', 'new'])
  expect(await changedFiles(root, 'HEAD~')).toEqual(['committed', 'edited', 'staged', 'new'])
})
