import {describe, expect, it} from 'vitest'
import type {PlanDocument} from '../../src/report/plan/plan-json.ts'
import {get, kubectl} from './support/cluster.ts'
import {
  type EnvironmentContent,
  makeEnvironment,
  type TestEnvironment,
  workloads,
} from './support/environment.ts'
import {kk} from './support/kk.ts'
import {plainHelm} from './support/plain-helm.ts'

/** app requires db; each version has its own number of replicas, so that what runs tells of which it is. */
const version = (replicas: number): EnvironmentContent =>
  workloads({db: {values: {replicas}}, app: {requires: ['db'], values: {replicas}}})

async function deploy(environment: TestEnvironment, ...versions: readonly number[]): Promise<void> {
  for (const each of versions) {
    await environment.write(version(each))
    await environment.deploy()
  }
}

async function running({name}: TestEnvironment): Promise<Record<string, number>> {
  const {items} = await get<{items: {metadata: {name: string}; spec: {replicas: number}}[]}>(
    'deployments',
    '--namespace',
    name,
  )
  return Object.fromEntries(items.map(({metadata, spec}) => [metadata.name, spec.replicas]))
}

/** The last run of the environment that was a deployment. */
async function lastDeploy(environment: TestEnvironment): Promise<string> {
  const {runs} = await environment.json<{runs: {id: string; verb: string}[]}>('history')
  return runs.find(({verb}) => verb === 'deploy')!.id
}

/** Two versions, and back to the first: revisions 1 to 3, of which the last is a copy of revision 1. */
async function rolledBackOnce(): Promise<TestEnvironment> {
  const environment = await makeEnvironment({})
  await deploy(environment, 1, 2)
  const {exitCode, stderr} = await environment.kk('rollback', '--yes')
  expect(exitCode, stderr).toBe(0)
  return environment
}

describe.concurrent('kk rollback after releases were removed and installed again', () => {
  it.each<{how: string; remove: (environment: TestEnvironment) => Promise<unknown>}>([
    {how: 'kk remove of one of them', remove: (environment) => environment.kk('remove app', '--yes')},
    {how: 'kk destroy', remove: (environment) => environment.kk('destroy', '--yes')},
    {
      how: 'helm uninstall of one of them',
      remove: ({name}) => plainHelm(['uninstall', 'app', '--namespace', name]),
    },
    {how: 'the deletion of its namespace', remove: ({name}) => kubectl(['delete', 'namespace', name])},
  ])('undoes the last run: $how', async ({remove}) => {
    const environment = await rolledBackOnce()
    await remove(environment)
    await deploy(environment, 3, 4, 5)
    expect(await running(environment)).toEqual({app: 5, db: 5})

    const {exitCode, stderr} = await environment.kk('rollback', '--yes')

    expect(exitCode, stderr).toBe(0)
    expect(stderr).not.toContain('stays')
    expect(await running(environment)).toEqual({app: 4, db: 4})
  })

  it('leaves a release that was reinstalled after the undone run, and names it; its history does not name that run', async () => {
    const environment = await makeEnvironment({})
    await deploy(environment, 1, 2)
    const run = await lastDeploy(environment)
    await environment.kk('remove app', '--yes')
    await deploy(environment, 3, 4)

    const {exitCode, stderr} = await environment.kk('rollback', run, '--yes')

    expect(exitCode, stderr).toBe(0)
    expect(stderr).toContain(`note: app stays: it was removed and installed again after run ${run}`)
    expect(await running(environment)).toEqual({app: 4, db: 1})
    const {revisions} = await environment.json<{revisions: {run: string}[]}>('history', 'app')
    expect(revisions.map((each) => each.run)).not.toContain(run)
  })

  it('completes a killed rollback', async () => {
    const environment = await rolledBackOnce()
    await environment.kk('remove app', '--yes')
    await deploy(environment, 3, 4, 5)
    const env = {KK_HELM: environment.helm}
    const killed = await kk(['rollback', environment.file, '--yes'], {
      cwd: environment.directory,
      env,
      killAt: 4,
    })
    const [status, plan] = [await environment.kk('status'), await environment.kk('plan')]
    const {exitCode, stderr} = await environment.kk('rollback', '--yes')

    expect(status.stdout + status.stderr).not.toContain('another helm')
    expect(plan.stdout).toMatch(/app .*revision 4 is of a rollback of run \S+, which was killed/)
    expect(killed.signal).toBe('SIGKILL')
    expect(exitCode, stderr).toBe(0)
    expect(await running(environment)).toEqual({app: 4, db: 4})
    expect(await environment.json<PlanDocument>('plan')).toMatchObject({changes: true})
  })
})
