import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {readJunit, readPage} from '../report/files/support/read-by-python.ts'
import {atNight} from '../support/night.ts'
import {start} from './support/background.ts'
import {uniqueName} from './support/cluster.ts'
import {type Corner, openCorner} from './support/corner.ts'
import {records} from './support/snapshot.ts'

/** One release succeeds, one fails, and one is skipped because of it. */
const BRANCHES = `
kk:
  OWN
  releases:
    good: {chart: workload}
    broken: {chart: workload, requires: [good]}
    above: {chart: workload, requires: [broken]}
good: {}
broken: {job: {pod: {fail: JobFailed}}}
above: {}
`

const ALL = ['junit=kk.xml', 'html=kk.html', 'trace=trace.json', 'json=kk.json']
const ALL_REPORTS = ALL.flatMap((report) => ['--report', report])

const read = (corner: Corner, file: string) => readFile(join(corner.directory, file), 'utf8')
const readJson = async (corner: Corner, file: string) => JSON.parse(await read(corner, file))

describe.concurrent('--report', () => {
  it('writes all four reports of a run with a success, a failure and a skip', async () => {
    const corner = await openCorner(BRANCHES)

    const {exitCode, stderr} = await corner.kk(['deploy', 'env.yaml', ...ALL_REPORTS])

    expect(exitCode, stderr).toBe(1)
    const [junit] = await readJunit([await read(corner, 'kk.xml')])
    expect(junit?.problems).toEqual([])
    expect(junit?.cases.map(({name, endings}) => [name, endings[0]?.tag, endings[0]?.type])).toEqual([
      ['good', undefined, undefined],
      ['broken', 'failure', 'KK_UNHEALTHY'],
      ['above', 'skipped', undefined],
    ])
    expect(junit?.cases[1]?.endings[0]?.text).toContain('Job/broken-job')

    const html = await read(corner, 'kk.html')
    const page = await readPage(html)
    expect(page.problems).toEqual([])
    expect(page.text).toContain('1 succeeded, 1 failed, 1 skipped')
    expect(page.text).toContain('Skipped because of it: above')
    expect(html.match(/class="node \w+"/g)).toEqual(
      expect.arrayContaining(['class="node succeeded"', 'class="node failed"', 'class="node skipped"']),
    )

    const {traceEvents} = await readJson(corner, 'trace.json')
    const bars = traceEvents.filter(({ph, cat}: {ph: string; cat: string}) => ph === 'X' && cat !== 'phase')
    expect(bars.map(({cat}: {cat: string}) => cat)).toEqual(['succeeded', 'failed'])
    expect(bars[1].ts).toBeGreaterThanOrEqual(bars[0].ts + bars[0].dur)

    const {outcome, releases} = await readJson(corner, 'kk.json')
    expect(outcome).toBe('failed')
    expect(releases[0]).toMatchObject({state: 'succeeded', revision: 1})
    expect(releases[0].phases.map(({phase}: {phase: string}) => phase)).toEqual(
      expect.arrayContaining(['helm', 'gate']),
    )
  })

  atNight(() => {
    it('writes reports of an interrupted run', async () => {
      const corner = await openCorner(`
kk:
  OWN
  releases:
    first: {chart: workload}
    second: {chart: workload, requires: [first]}
first: {job: {hook: post-install, pod: {complete-after: 3s}}}
second: {}
`)
      const run = start(corner, [
        'deploy',
        'env.yaml',
        '--report',
        'junit=kk.xml',
        '--report',
        'json=kk.json',
      ])
      await run.saw((event) => event.type === 'release-progressed' && event.phase === 'helm', 'helm runs')

      run.signal('SIGTERM')
      const {exitCode, stderr} = await run.ended()

      expect(exitCode, stderr).toBe(143)
      expect((await readJson(corner, 'kk.json')).outcome).toBe('interrupted')
      const [junit] = await readJunit([await read(corner, 'kk.xml')])
      expect(junit?.problems).toEqual([])
      expect(junit?.cases[1]?.endings).toMatchObject([
        {tag: 'skipped', message: 'skipped because the run was interrupted'},
      ])
    })

    it('writes reports of a run with nothing to do, and of kk upgrade', async () => {
      const corner = await openCorner('kk:\n  OWN\n  releases: {one: {chart: workload}}\none: {}\n')
      await corner.kk(['deploy', 'env.yaml'])

      const nothing = await corner.kk(['deploy', 'env.yaml', '--report', 'json=nothing.json'])
      const more = ['--set', 'one:pod.note=changed']
      const upgrade = await corner.kk([
        'upgrade',
        'env.yaml',
        'one',
        ...more,
        '--report',
        'json=upgrade.json',
      ])

      expect(nothing.exitCode, nothing.stderr).toBe(0)
      expect(await readJson(corner, 'nothing.json')).toMatchObject({
        run: null,
        outcome: 'succeeded',
        releases: [{state: 'unchanged'}],
      })
      expect(upgrade.exitCode, upgrade.stderr).toBe(0)
      expect(await readJson(corner, 'upgrade.json')).toMatchObject({
        outcome: 'succeeded',
        releases: [{kind: 'upgrade', state: 'succeeded', revision: 2}],
      })
    })

    it('writes reports of kk rollback, remove and destroy', async () => {
      const two =
        'kk:\n  OWN\n  releases: {one: {chart: workload}, two: {chart: workload}}\none: {}\ntwo: {}\n'
      const corner = await openCorner(two)
      await corner.kk(['deploy', 'env.yaml'])
      await corner.write('env.yaml', two.replace('one: {}', 'one: {replicas: 2}'))
      await corner.kk(['deploy', 'env.yaml'])
      const reported = (verb: string, ...args: readonly string[]) =>
        corner.kk([verb, 'env.yaml', ...args, ...ALL_REPORTS])

      const summaries: unknown[] = []
      for (const [verb, ...args] of [
        ['rollback', '--yes'],
        ['remove', 'two', '--yes'],
        ['destroy', '--confirm', corner.name],
        ['destroy', '--confirm', corner.name],
      ] as const) {
        const {exitCode, stderr} = await reported(verb, ...args)
        expect(exitCode, stderr).toBe(0)
        const [junit] = await readJunit([await read(corner, 'kk.xml')])
        expect((await readPage(await read(corner, 'kk.html'))).problems).toEqual([])
        const {outcome, releases} = await readJson(corner, 'kk.json')
        summaries.push([
          outcome,
          releases.map(({kind, state}: {kind: string; state: string}) => `${kind} ${state}`),
          junit?.problems,
        ])
      }

      expect(summaries).toEqual([
        ['succeeded', ['rollback succeeded'], []],
        ['succeeded', ['remove succeeded'], []],
        ['succeeded', ['remove succeeded'], []],
        ['succeeded', [], []],
      ])
    })
  })

  atNight(() => {
    it('writes no secret, even if a failing pod logs one', async () => {
      const secret = uniqueName('mark')
      const corner = await openCorner(`
kk:
  OWN
  releases: {leaky: {chart: workload, timeout: 20s}}
leaky: {auth: {password: ${secret}}, leak: true, pod: {fail: CrashLoopBackOff}}
`)

      const {exitCode, stderr} = await corner.kk(['deploy', 'env.yaml', ...ALL_REPORTS])

      expect(exitCode, stderr).toBe(1)
      const files = ['kk.xml', 'kk.html', 'trace.json', 'kk.json']
      const texts = await Promise.all(files.map((file) => read(corner, file)))
      expect(texts.filter((text) => text.includes('CrashLoopBackOff'))).toHaveLength(4)
      for (const form of [secret, Buffer.from(secret).toString('base64')])
        expect(texts.filter((text) => text.includes(form))).toEqual([])
    })
  })

  it.each([
    ['junti=kk.xml', 'KK_USAGE', 'did you mean junit?'],
    ['html=/proc/kk.html', 'KK_FILE', 'you may not write to the directory /proc'],
    ['json=env.yaml/kk.json', 'KK_FILE', 'there is no directory env.yaml'],
  ])('with %s is refused before the run starts', async (report, code, says) => {
    const corner = await openCorner('kk:\n  OWN\n  releases: {one: {chart: workload}}\none: {}\n')

    const {exitCode, stderr} = await corner.kk(['deploy', 'env.yaml', '--report', report])

    expect(exitCode).toBe(2)
    expect(stderr).toContain(`error ${code}`)
    expect(stderr).toContain(says)
    expect(await records(corner.name)).toEqual([])
  })

  it('is refused together with --dry-run, which runs nothing', async () => {
    const corner = await openCorner('kk:\n  OWN\n  releases: {one: {chart: workload}}\none: {}\n')

    const {exitCode, stderr} = await corner.kk([
      'deploy',
      'env.yaml',
      '--dry-run',
      '--report',
      'json=kk.json',
    ])

    expect(exitCode).toBe(2)
    expect(stderr).toContain('--dry-run')
  })
})
