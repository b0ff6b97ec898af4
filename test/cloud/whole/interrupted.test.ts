import {join} from 'node:path'
import {execa} from 'execa'
import {beforeAll, expect, inject, it} from 'vitest'
import {kubectl} from '../../aio/support/node.ts'
import {aioEnvironment} from '../../aio/support/run-aio.ts'
import {cloudUp, NAMESPACE, succeed} from '../support/cloud.ts'
import {CLOUD} from '../support/environment.ts'
import {ROOT} from '../support/images.ts'
import {machine, removeMachine} from '../support/machines.ts'
import {phase} from '../support/phase.ts'

/**
 * Where it is killed: what it prints then. The release `heat` and the first machine are missing when it
 * begins.
 */
const MOMENTS = [/^\[3\/7\] kk/m, /^base: /m, / heat +(gate|helm)/, /virtual machine first: made/]

/**
 * `npm run cloud` on this cloud, with all that it starts in one group; resolves with what it printed until
 * that.
 */
async function cloud(until?: RegExp): Promise<string> {
  const {HOME, PATH} = process.env
  const env = {...aioEnvironment(inject('aio')), HOME, PATH}
  const run = execa(process.execPath, [join(ROOT, 'scripts/node.mjs'), join(ROOT, 'scripts/cloud.ts')], {
    ...{cwd: ROOT, env, extendEnv: false, all: true, buffer: false, detached: true, reject: false},
  })
  let said = ''
  for await (const chunk of run.all) {
    said += String(chunk)
    if (until?.test(said)) process.kill(-run.pid!, 'SIGKILL')
  }
  const {exitCode} = await run
  if (!until) expect(exitCode, said).toBe(0)
  return said
}

beforeAll(async () => {
  await cloudUp()
  await machine()
})

it('a deploy resumes wherever it was killed, until a machine responds', {
  timeout: 1_800_000,
}, async () => {
  await removeMachine('first')
  await succeed(['remove', CLOUD, 'heat', '--yes'])

  for (const moment of MOMENTS) {
    const said = await phase(`killed at ${moment}`, () => cloud(moment))
    expect(said).toMatch(moment)
    expect(said).not.toContain('The cloud answers')
  }
  const said = await phase('gone on to the end', () => cloud())

  expect(said).toMatch(/SSH answers: first/)
  expect(said).toContain('The cloud answers')
  expect(await kubectl(['get', 'deployments', '--namespace', NAMESPACE])).toContain('heat-api')
})
