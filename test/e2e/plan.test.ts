import {randomBytes} from 'node:crypto'
import {readdir, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, describe, expect, inject, it} from 'vitest'
import type {PlanDocument} from '../../src/report/plan/plan-json.ts'
import {atNight} from '../support/night.ts'
import {get} from './support/cluster.ts'
import {CHARTS, makeEnvironment, type TestEnvironment, workloads} from './support/environment.ts'
import {kk} from './support/kk.ts'
import {revisions} from './support/records.ts'

async function namespaces(): Promise<readonly string[]> {
  type Names = {readonly items: readonly {readonly metadata: {readonly name: string}}[]}
  return (await get<Names>('namespaces')).items.map(({metadata}) => metadata.name)
}

describe('a plan', () => {
  const two = (replicas: number) =>
    workloads({db: {values: {replicas}}, api: {requires: ['db'], values: {replicas}}})
  let environment: TestEnvironment
  beforeAll(async () => {
    environment = await makeEnvironment({content: two(1)})
  })

  it('changes nothing, and names cluster, context and environment first', async () => {
    const {kk: settings, ...sections} = two(1)
    await environment.write({...sections, kk: {...settings, features: ['slip']}})

    const {stdout} = await environment.kk('plan', '--diff')

    await environment.write(two(1))
    const [cluster, file] = stdout.split('\n')
    expect(stdout).toContain('note: kk.features: no chart of this environment has a file of the feature slip')
    expect(cluster).toContain(inject('run').context)
    expect(file).toBe(`environment  ${environment.name} (${environment.file})`)
    expect(await namespaces()).not.toContain(environment.name)
  })

  it('exits with 0; with --detailed-exitcode with 4 if there are changes, and with 0 otherwise', async () => {
    const plain = await environment.kk('plan')
    const different = await environment.kk('plan', '--detailed-exitcode')
    await environment.deploy()
    const calls = await environment.helmCalls()
    const same = await environment.kk('plan', '--detailed-exitcode')

    expect(await environment.helmCalls()).toEqual(calls)
    expect([plain.exitCode, different.exitCode, same.exitCode]).toEqual([0, 4, 0])
    expect(plain.stdout).toContain('plan: 2 to install')
    expect(same.stdout).toContain('plan: 2 unchanged')
  })

  it('shows since when a chart is deprecated, and its replacement', async () => {
    const retired = await makeEnvironment({content: {kk: {charts: [CHARTS]}, panko: {}}})

    const {stdout} = await retired.kk('plan')

    expect(stdout).toContain('note: the chart of panko is deprecated: Retired in Xena (2021), replaced by')
  })

  describe.concurrent('of two changed releases', () => {
    beforeAll(() => environment.write(two(2)))

    it('shows for named releases what kk upgrade does', async () => {
      const {actions} = await environment.json<PlanDocument>('plan', 'api')

      expect(actions).toMatchObject([
        {release: `${environment.name}/db`, kind: 'check', reasons: ['required by api']},
        {release: `${environment.name}/api`, kind: 'upgrade'},
      ])
    })

    it.each(['deploy', 'upgrade'])(
      'is printed by --dry-run of kk %s, which changes nothing',
      async (verb) => {
        const {exitCode, stdout, stderr} = await environment.kk(verb, '--dry-run')
        const document = await environment.json<PlanDocument>(verb, '--dry-run')

        expect([exitCode, stderr]).toEqual([0, ''])
        expect(stdout).toContain('plan: 2 to upgrade')
        // A change is rendered in full, a plan only with --impact.
        expect(document).toEqual(await environment.json<PlanDocument>('plan', '--impact'))
        expect(await revisions(environment.name)).toEqual({db: 1, api: 1})
      },
    )
  })
})

describe.concurrent('kk plan --impact', () => {
  const at = (version: number) =>
    workloads({db: {values: {image: `registry.example.org/workload:${version}`}}})

  it('expects what earlier runs took, of this cluster and those in a file', async () => {
    const environment = await makeEnvironment({content: at(1)})
    const of = async (...args: readonly string[]) =>
      (await environment.json<PlanDocument>('plan', '--impact', ...args)).forecast
    await environment.deploy()
    await environment.write(at(2))
    const first = await of()
    const {stderr} = await environment.kk('deploy')
    await environment.write(at(3))
    const second = await of()
    const {stdout: text} = await environment.kk('plan', '--impact')
    const {stdout: history} = await environment.kk('history', '--output', 'json')
    await writeFile(join(environment.directory, 'runs.json'), history)
    await writeFile(join(environment.directory, 'plan.json'), '{"runs": [{"releases": [{}]}]}')

    const third = await of('--history', join(environment.directory, 'runs.json'))
    const wrong = await environment.kk(
      'plan',
      '--impact',
      '--history',
      join(environment.directory, 'plan.json'),
    )

    const upgrade = {
      release: `${environment.name}/db`,
      replacesImages: true,
      users: {impact: 'none', why: []},
    }
    expect([first, second, third]).toMatchObject([
      [{...upgrade, runs: 0}],
      [{...upgrade, runs: 1}],
      [{...upgrade, runs: 2}],
    ])
    expect(stderr).toMatch(/WHAT IT TAKES +TIME +USERS +INSTANCES\ndb +about 38 s +- +-/)
    expect(text).toMatch(/WHAT IT TAKES +TIME +USERS +INSTANCES\ndb +(?:\d+ s|< 1 s) +- +-/)
    expect(wrong.stderr).toMatch(/KK_FILE: .*plan\.json: expected the runs of an environment/)
  })

  it.each([
    ['plan', '--history', 'runs.json'],
    ['deploy', '--history', 'runs.json', '--in-cluster', '--image', 'kk'],
  ])('refuses --history where no forecast would use it: kk %s', async (...args) => {
    const environment = await makeEnvironment({content: at(1)})

    const {exitCode, stderr} = await environment.kk(args[0]!, ...args.slice(1))

    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/KK_USAGE: .*--history/s)
  })
})

describe.concurrent('kk plan', () => {
  it('refuses after its plan what a deploy refuses, and does not save such a plan', async () => {
    const environment = await makeEnvironment({content: workloads({db: {values: {unrenderable: 'x'}}})})

    const plan = await environment.kk('plan', '--save', 'plan.json')
    const deploy = await environment.kk('deploy', '--dry-run')

    expect(plan.stdout).toContain('plan: 1 to install')
    expect([plan.exitCode, plan.stderr]).toEqual([deploy.exitCode, deploy.stderr])
    expect(plan.stderr).toContain('KK_RENDER')
    expect(await readdir(environment.directory)).not.toContain('plan.json')
  })

  atNight(() => {
    it('--diff shows all of a new release, and the changes of an installed one', async () => {
      const environment = await makeEnvironment({content: workloads({db: {}})})

      const before = await environment.kk('plan', '--diff')
      await environment.deploy()
      await environment.write(workloads({db: {values: {replicas: 2}}, cache: {}}))
      const after = await environment.kk('plan', '--diff')

      expect(before.stdout).toMatch(/^\+ +replicas: 1$/m)
      expect(after.stdout).toMatch(/^- +replicas: 1$/m)
      expect(after.stdout).toMatch(/^\+ +replicas: 2$/m)
      expect(after.stdout).toMatch(/^\+ +name: cache$/m)
    })
  })
})

atNight(() => {
  describe('a password', () => {
    it('is in no output, argument or file of kk, whatever the command', async () => {
      const [first, second] = [1, 2].map(() => `mark${randomBytes(12).toString('hex')}`) as [string, string]
      const content = (password: string) => workloads({db: {values: {auth: {password}, leak: true}}})
      const environment = await makeEnvironment({content: content(first)})
      const {directory, file} = environment
      const words: (readonly string[])[] = [
        ['plan', file, '--diff'],
        ['deploy', file, '--dry-run', '--output', 'json'],
        ['deploy', file, '--output', 'ndjson'],
        ['status', file, '--output', 'json'],
        ['plan', file, '--diff', '--set', `db:auth.password=${second}`],
        ['plan', file, '--output', 'yaml', '--set', `db:auth.password=${second}`],
        ['deploy', file, '--output', 'json', '--set', `db:auth.password=${second}`],
        ['graph', file, '--output', 'json'],
        ['upgrade', file, '--set', `db:auth.password=${first},replicas=${first}`],
        ['upgrade', file, '--set', `db:auth.password=${first},unrenderable=${first}`],
        ['upgrade', file, '--set', `db:auth.password=${first},claim=${first}_`],
        ['upgrade', file, '--set', `db:auth.password=${first},x[`],
      ]

      const said: Record<string, string> = {}
      const codes: unknown[] = []
      for (const [index, args] of words.entries()) {
        const env = {KK_HELM: environment.helm, HOME: directory, TMPDIR: directory, XDG_STATE_HOME: directory}
        const {exitCode, stdout, stderr} = await kk(args, {cwd: directory, env})
        codes.push(exitCode)
        said[`command ${index}`] = `${stdout}\n${stderr}`
      }
      Object.assign(said, await textsBelow(directory))
      delete said[file]

      expect(codes).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2])
      expect(said['command 4']).toMatch(/- +password: \(masked\)\n\+ +password: \(masked, changed\)/)
      expect(Object.keys(said)).toContain(join(directory, 'helm-calls'))
      const forms = [first, second].flatMap((text) => [text, Buffer.from(text).toString('base64')])
      expect(
        Object.keys(said).filter((source) => forms.some((form) => said[source]!.includes(form))),
      ).toEqual([])
    })
  })
})

/** The text of every file below a directory, by its path. */
async function textsBelow(directory: string): Promise<Record<string, string>> {
  const entries = await readdir(directory, {recursive: true, withFileTypes: true})
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const texts = paths.map(async (path) => [path, await readFile(path, 'latin1')] as const)
  return Object.fromEntries(await Promise.all(texts))
}
