import {join} from 'node:path'
import {pathToFileURL} from 'node:url'
import {execa} from 'execa'
import {expect, it} from 'vitest'
import {testDirectory} from './support/test-directory.ts'

const LIMIT = 72

/**
 * When ec1f851f was committed: older subjects are as they are. A time, for a shallow clone need not have that
 * commit.
 */
const SINCE = '2026-11-28T21:18:59Z'

/**
 * Returns the subjects longer than `LIMIT` of the commits after `SINCE` that a repository has; merges are
 * named by tools.
 */
async function longSubjects(repository: string): Promise<readonly string[]> {
  const log = ['log', '--no-merges', '--format=%s', `--since-as-filter=${SINCE}`]
  const {stdout} = await execa('git', log, {cwd: repository, lines: true})
  return stdout.filter((subject) => [...subject].length > LIMIT)
}

it('the subject of each commit has at most 72 characters', async () => {
  expect(await longSubjects('.')).toEqual([])
})

it('a longer subject is found, also in a shallow clone, and older subjects are ignored', async () => {
  const directory = testDirectory()
  const origin = join(directory, 'origin')
  const shallow = join(directory, 'shallow')
  const author = ['-c', 'user.name=kk', '-c', 'user.email=kk@example.org']
  await execa('git', ['init', '--quiet', origin])
  const commit = (subject: string, date: string) =>
    execa('git', [...author, 'commit', '--quiet', '--allow-empty', '-m', subject], {
      cwd: origin,
      env: {GIT_COMMITTER_DATE: date},
    })
  await commit(`Old ${'x'.repeat(LIMIT)}`, '2026-11-28T21:00:00Z')
  await commit(`Add ${'ü'.repeat(LIMIT - 4)}`, '2026-11-28T22:00:00Z')
  await commit(`Fix ${'x'.repeat(LIMIT)}`, '2026-11-28T23:00:00Z')
  await commit('Name it', '2026-11-29T00:00:00Z')
  await execa('git', ['clone', '--quiet', '--depth=2', pathToFileURL(origin).href, shallow])

  const found = await Promise.all([origin, shallow].map(longSubjects))

  expect(found).toEqual([[`Fix ${'x'.repeat(LIMIT)}`], [`Fix ${'x'.repeat(LIMIT)}`]])
})
