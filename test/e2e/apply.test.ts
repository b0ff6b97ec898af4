import {existsSync} from 'node:fs'
import {cp, readFile, stat, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {beforeAll, describe, expect, inject, it} from 'vitest'
import {readSavedPlan, savedPlanText} from '../../src/plan/saved/read-saved-plan.ts'
import {kubectl} from './support/cluster.ts'
import {FIXTURES, makeEnvironment, type TestEnvironment, workloads} from './support/environment.ts'
import {kk} from './support/kk.ts'
import {revisions} from './support/records.ts'

const SECRET = 'correct-horse-battery'
const THREE = {db: {values: {auth: {password: SECRET}}}, api: {requires: ['db']}, web: {}}

function apply(environment: TestEnvironment, plan: string, ...args: readonly string[]) {
  return kk(['apply', plan, ...args], {cwd: environment.directory, env: {KK_HELM: environment.helm}})
}

async function save(environment: TestEnvironment, plan: string, ...args: readonly string[]): Promise<string> {
  const {exitCode, stderr} = await environment.kk('plan', '--save', plan, ...args)
  expect(exitCode, stderr).toBe(0)
  return join(environment.directory, plan)
}

async function helm(environment: TestEnvironment, ...args: readonly string[]): Promise<void> {
  const {toolbox, kubeconfig, home} = inject('run')
  await execa(join(toolbox, 'helm4'), [...args, '--namespace', environment.name], {
    env: {KUBECONFIG: kubeconfig, HOME: home},
    extendEnv: false,
  })
}

describe('a saved plan', () => {
  let environment: TestEnvironment
  beforeAll(async () => {
    environment = await makeEnvironment({content: workloads(THREE)})
    await save(environment, 'first.json')
    const {exitCode, stderr} = await apply(environment, 'first.json', '--yes')
    expect(exitCode, stderr).toBe(0)
  })

  it('is executed exactly, and only once, because the records are newer afterwards', async () => {
    const {exitCode, stderr} = await apply(environment, 'first.json', '--yes')

    expect(exitCode).toBe(3)
    expect(stderr).toMatch(/KK_MOVED: first\.json does not match the present state; nothing was changed/)
    expect(stderr).toContain('  db: was not installed, is now at revision 1 (deployed)')
    expect(await revisions(environment.name)).toEqual({db: 1, api: 1, web: 1})
  })

  it('without actions changes nothing', async () => {
    await save(environment, 'nothing.json', 'db')

    const {exitCode, stdout} = await apply(environment, 'nothing.json', '--yes', '--output', 'json')

    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({run: null, releases: [{state: 'unchanged'}]})
  })

  it('contains no values, and needs those of --set again', async () => {
    const set = ['--set', `api:auth.password=${SECRET}`]
    const path = await save(environment, 'set.json', ...set)

    const without = await apply(environment, 'set.json', '--yes')
    const dry = await apply(environment, 'set.json', '--dry-run', ...set)

    expect(await readFile(path, 'utf8')).not.toContain(SECRET)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(without.exitCode).toBe(3)
    expect(without.stderr).toContain('  api: the plan was saved with --set for it, which must be given again')
    expect([dry.exitCode, dry.stderr]).toEqual([0, expect.stringContaining('set.json is still valid')])
    expect(without.stderr + dry.stdout + dry.stderr).not.toContain(SECRET)
  })

  it('is refused on another cluster, even with a context of the same name', async () => {
    const path = await save(environment, 'elsewhere.json')
    const plan = readSavedPlan(await readFile(path, 'utf8'), path)
    await writeFile(path, savedPlanText({...plan, cluster: {...plan.cluster, uid: 'another'}}))

    const {exitCode, stderr} = await apply(environment, 'elsewhere.json', '--yes')

    expect(exitCode).toBe(3)
    expect(stderr).toMatch(/ {2}this is the cluster \S+ .*the plan is for \S+ .*has the UID another/)
  })

  it('that was edited is refused', async () => {
    const path = await save(environment, 'edited.json')
    await writeFile(path, (await readFile(path, 'utf8')).replace('"install": true', '"install": false'))

    const {exitCode, stderr} = await apply(environment, 'edited.json', '--yes')

    expect(exitCode).toBe(2)
    expect(stderr).toContain('KK_SAVED_PLAN: edited.json cannot be used as a plan: it was changed')
  })

  it('finds its files relative to itself after all of them were moved', async () => {
    await writeFile(join(environment.directory, 'more.yaml'), 'replicas: 2\n')
    await save(environment, 'moved.json', 'api', '--values', 'api=more.yaml')
    const elsewhere = `${environment.directory}-elsewhere`
    await cp(environment.directory, elsewhere, {recursive: true})
    const run = () =>
      kk(['apply', join(elsewhere, 'moved.json'), '--dry-run'], {
        cwd: inject('run').home,
        env: {KK_HELM: environment.helm},
      })

    const found = await run()
    await writeFile(join(elsewhere, 'more.yaml'), 'replicas: 4\n')
    const changed = await run()

    expect(found.exitCode, found.stderr).toBe(0)
    expect(changed.exitCode).toBe(3)
    expect(changed.stderr).toContain('  api: --values changed')
  })

  it('is refused, with names, if a section, a record or the labels of a record have changed', async () => {
    await save(environment, 'plan.json')
    await environment.write(workloads({...THREE, api: {...THREE.api, values: {replicas: 3}}}))
    await helm(environment, 'upgrade', 'db', join(FIXTURES, 'workload'), '--reuse-values')
    await kubectl(['label', 'secret/sh.helm.release.v1.web.v1', 'a=b', '--namespace', environment.name])

    const {exitCode, stderr} = await apply(environment, 'plan.json', '--yes')

    expect(exitCode).toBe(3)
    expect(stderr).toContain(`  api: section api of ${environment.name}.yaml changed\n`)
    expect(stderr).toContain('  db: was at revision 1 (deployed), is now at revision 2 (deployed)\n')
    expect(stderr).toMatch(/ {2}web: the record of revision 1 was written \(resource version \d+, now \d+\)/)
    expect(await revisions(environment.name)).toEqual({db: 2, api: 1, web: 1})
  })
})

describe('kk plan --save', () => {
  it('refuses a file name that kk apply would take for an environment file', async () => {
    const environment = await makeEnvironment({content: workloads({db: {}})})

    const {exitCode, stderr} = await environment.kk('plan', '--save', 'plan.yaml')

    expect(exitCode).toBe(2)
    expect(stderr).toContain('--save plan.yaml: this is the name of an environment file')
  })

  it('refuses a missing directory, which may be a typo', async () => {
    const environment = await makeEnvironment({content: workloads({db: {}})})

    const {exitCode, stderr} = await environment.kk('plan', '--save', 'missing/plan.json')

    expect(exitCode).toBe(2)
    expect(stderr).toContain('KK_FILE: missing/plan.json cannot be written (there is no directory missing)')
    expect(existsSync(join(environment.directory, 'missing'))).toBe(false)
  })
})
