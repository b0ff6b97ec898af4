import {mkdir, rm} from 'node:fs/promises'
import {tmpdir, userInfo} from 'node:os'
import {join} from 'node:path'
import {execa} from 'execa'
import type {TestProject} from 'vitest/node'
import {down} from '../../../src/sandbox/remove.ts'
import {list} from '../../../src/sandbox/status.ts'
import {up} from '../../../src/sandbox/up.ts'
import {identifyProcess} from '../../../src/state/processes/process-identity.ts'
import {toolbox} from '../../support/tools.ts'
import {buildWhenOld} from './build.ts'
import {CONTROL_PLANE} from './kk.ts'

/** What every end-to-end test is given. */
export interface Run {
  /** The built binary. */
  readonly kk: string
  /** The directory of the real binaries: kubectl, helm3, helm4, … */
  readonly toolbox: string
  /** What `helm version` of the toolbox says. */
  readonly versions: Readonly<Record<'helm3' | 'helm4', string>>
  /** HOME of the run. */
  readonly home: string
  /** XDG_STATE_HOME of all runs: the sandboxes of tests lie below. */
  readonly state: string
  /** The sandbox of the run; a test that starts another begins its name with this one. */
  readonly sandbox: string
  readonly kubeconfig: string
  readonly context: string
  readonly auditLog: string
}

declare module 'vitest' {
  interface ProvidedContext {
    run: Run
  }
}

const say = (line: string) => process.stderr.write(`${line}\n`)

/** One control plane for all tests of a run, by the binary's own parts; gone when the run is. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const tools = await toolbox()
  const kk = await buildWhenOld(say)
  const state = join(tmpdir(), `kk-e2e-${userInfo().uid}`)
  const env = {...process.env, XDG_STATE_HOME: state, KK_TOOLBOX: tools}
  await removeAbandoned(env, state)
  // A store that belongs to the cluster of a former run would be refused by this one.
  await rm(join(state, 'kk/stores'), {recursive: true, force: true})

  const name = `e2e-${process.pid}`
  const {sandbox} = await up({name, nodes: 3, env: {...env, ...CONTROL_PLANE}})
  const {kubeconfig, context, auditLog} = sandbox
  const home = homeOf(name, state)
  await mkdir(home, {recursive: true})
  const versions = {helm3: await version(tools, 'helm3'), helm4: await version(tools, 'helm4')}
  project.provide('run', {
    ...{kk, toolbox: tools, versions, home, state, sandbox: name},
    ...{kubeconfig, context, auditLog},
  })
  return async () => {
    const mine = (await list(env)).filter((each) => each === name || each.startsWith(`${name}-`))
    await Promise.all(mine.map((each) => down({name: each, env})))
    await rm(home, {recursive: true, force: true})
  }
}

async function version(tools: string, helm: 'helm3' | 'helm4'): Promise<string> {
  return (await execa(join(tools, helm), ['version', '--template', '{{.Version}}'])).stdout
}

/** Sandboxes of runs whose process is gone: they were killed before they could tidy up. */
async function removeAbandoned(env: NodeJS.ProcessEnv, state: string): Promise<void> {
  for (const name of await list(env)) {
    const pid = Number(/^e2e-(\d+)/.exec(name)?.[1])
    if (!pid || (await identifyProcess(pid))) continue
    await down({name, env})
    await rm(homeOf(name, state), {recursive: true, force: true})
  }
}

function homeOf(sandbox: string, state: string): string {
  return join(state, 'homes', sandbox)
}
