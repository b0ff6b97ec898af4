import {globSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterEach, expect, it, vi} from 'vitest'
import {runProgram} from '../../../src/images/building/buildah.ts'
import {foreignEnvironment} from '../../../src/state/processes/foreign-environment.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

it("foreignEnvironment omits kk's own variables and the database password", () => {
  const env = foreignEnvironment({
    PATH: '/bin',
    HTTPS_PROXY: 'http://proxy',
    KK_STORE: 'postgres://kk:s3cret@db/kk',
    KK_STORE_KEY: 's3cret',
    KK_TOKEN: 's3cret',
    KK_SERVER_TOKEN: 's3cret',
    PGPASSWORD: 's3cret',
    UNSET: undefined,
  })

  expect(env).toEqual({PATH: '/bin', HTTPS_PROXY: 'http://proxy'})
})

const SOURCE = join(import.meta.dirname, '../../../src')
/** A container's own command, before which kk stands: it may be kk again. */
const WHOLE = ['commands/entrypoint.ts']

it('foreignEnvironment is used for every program that kk starts', () => {
  const sources = globSync('**/*.ts', {cwd: SOURCE}).map((file) => ({
    file,
    source: readFileSync(join(SOURCE, file), 'utf8'),
  }))

  const calls = sources.flatMap(({file, source}) =>
    [...source.matchAll(/\bexeca\(/g)].map(({index}) => ({file, call: source.slice(index, index + 900)})),
  )
  const inheriting = calls.filter(({call}) => !/\bextendEnv: false\b/.test(call)).map(({file}) => file)

  expect(calls.length).toBeGreaterThan(10)
  expect(inheriting).toEqual(WHOLE)
  expect(sources.filter(({source}) => source.includes('node:child_process'))).toEqual([])
})

it('foreignEnvironment passes no key of kk to git and its children', async () => {
  vi.stubEnv('KK_STORE_KEY', 's3cret')
  vi.stubEnv('PGPASSWORD', 's3cret')

  const env = await runProgram('git', ['-c', 'alias.printenv=!env', 'printenv'])

  expect(env).toContain('PATH=')
  expect(env).not.toContain('s3cret')
})
