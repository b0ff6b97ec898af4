import {mkdtemp, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import type {TestProject} from 'vitest/node'
import {ensureSystemPackages} from '../../../scripts/system-packages.ts'
import {NODE_NAME} from '../../../src/sandbox/sandbox.ts'
import {status} from '../../../src/sandbox/status.ts'
import {stateDirectory} from '../../../src/state/directories.ts'
import {prepareAio} from '../../aio/support/prepare-aio.ts'
import {setup as setUpOwnNode} from '../../aio/support/setup.ts'
import {buildWhenOld} from '../../e2e/support/build.ts'
import {toolbox} from '../../support/tools.ts'

const say = (line: string) => process.stderr.write(`${line}\n`)

/**
 * Takes the node that the user has up, as `npm run cloud` leaves it, and leaves it up; else a node of the
 * run's own.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await ensureSystemPackages(say, 'cloudTests')
  if ((await status(NODE_NAME, process.env)).state !== 'running') return setUpOwnNode(project)
  const home = await mkdtemp(join(tmpdir(), 'kk-cloud-test-'))
  const run = {
    kk: await buildWhenOld(say),
    toolbox: await toolbox(),
    home,
    state: dirname(stateDirectory(process.env)),
    isFound: true,
  }
  project.provide('aio', await prepareAio({...run, say}))
  return () => rm(home, {recursive: true})
}
