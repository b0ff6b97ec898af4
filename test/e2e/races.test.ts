import {stat} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {describe, expect, inject, it} from 'vitest'
import {atNight} from '../support/night.ts'
import {start} from './support/background.ts'
import {waitFor} from './support/cluster.ts'
import {type Corner, openCorner} from './support/corner.ts'
import {endings, eventsIn} from './support/events.ts'
import {kkEnvironment} from './support/kk.ts'
import {records} from './support/snapshot.ts'

const ENVIRONMENT = `
kk:
  OWN
  releases: {api: {chart: workload, timeout: TIMEOUT}}
api: {}
`
const TWO = `
kk:
  OWN
  releases: {db: {chart: workload}, api: {chart: workload, requires: [db]}}
db: {}
api: {}
`
const patient = ENVIRONMENT.replace('TIMEOUT', '60s')
const impatient = ENVIRONMENT.replace('TIMEOUT', '2s')

/** A helm that says when it is called to install, and then waits until it is let go. */
function slowHelm(corner: Corner) {
  return corner.helm(`
case $1 in install)
  touch called
  until [ -e go ]; do sleep 0.05; done
esac
exec $HELM "$@"`)
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )

/** Runs until helm is called under the release's Lease, which is then held until `go`. */
async function holding(corner: Corner) {
  const run = start(corner, ['deploy', 'env.yaml'], {env: {KK_HELM: await slowHelm(corner)}})
  await waitFor(() => exists(join(corner.directory, 'called')), {until: 'helm is called'})
  return run
}

describe.concurrent('two concurrent runs of kk', () => {
  it('on the same release: one waits until the other has ended, and creates no second revision', async () => {
    const corner = await openCorner(patient)
    const first = await holding(corner)
    const second = start(corner, ['deploy', 'env.yaml'])
    const waiting = await second.saw(
      (event) => event.type === 'release-progressed' && event.blames !== undefined,
      'the second one says for whom it waits',
    )

    await corner.write('go', '')
    const [one, other] = await Promise.all([first.ended(), second.ended()])

    expect(waiting).toMatchObject({
      phase: 'lease',
      message: expect.stringContaining(`process ${first.pid}, run`),
    })
    expect(other.stderr).toMatch(/api +lease: \S+\/api: it is held by \S+@\S+ \(process \d+, run /)
    expect(one.exitCode, one.stderr).toBe(0)
    expect(other.exitCode, other.stderr).toBe(0)
    expect(other.stderr).toMatch(/api +run \S+ has made revision 1 of the same inputs/)
    expect(await records(corner.name)).toEqual(['api 1 deployed'])
    const again = await corner.kk(['deploy', 'env.yaml'])
    expect(again.exitCode, again.stderr).toBe(0)
    expect(again.stderr).toContain('1 unchanged')
  })

  it('with different inputs: the second fails, and reports the revision of the first', async () => {
    const corner = await openCorner(patient)
    await corner.write('other.yaml', patient.replace('api: {}', 'api: {replicas: 2}'))
    const first = await holding(corner)
    const second = start(corner, ['deploy', 'other.yaml'])
    await second.saw((event) => event.type === 'release-progressed' && event.blames !== undefined, 'it waits')

    await corner.write('go', '')
    const [one, other] = await Promise.all([first.ended(), second.ended()])

    expect(one.exitCode, one.stderr).toBe(0)
    expect(other.exitCode).toBe(1)
    expect(eventsIn(other.stdout)).toContainEqual(
      expect.objectContaining({
        type: 'release-failed',
        error: expect.objectContaining({
          code: 'KK_RACED',
          message: `${corner.name}/api: another process changed it in the meantime: expected no release, as the plan saw, but found revision 1`,
          hint: expect.stringContaining('run the same command again'),
        }),
      }),
    )
    expect(await records(corner.name)).toEqual(['api 1 deployed'])
  })

  it('on two releases: both succeed, although each marks the gate that both await', async () => {
    const corner = await openCorner(TWO)
    const both = [start(corner, ['deploy', 'env.yaml']), start(corner, ['deploy', 'env.yaml'])]
    const ended = await Promise.all(both.map((run) => run.ended()))

    expect(
      ended.map(({exitCode}) => exitCode),
      ended.map(({stderr}) => stderr).join('\n'),
    ).toEqual([0, 0])
    expect((await records(corner.name)).toSorted()).toEqual(['api 1 deployed', 'db 1 deployed'])
  })

  atNight(() => {
    it('with a short timeout: the second reports the holder of the release', async () => {
      const corner = await openCorner(patient)
      await corner.write('impatient.yaml', impatient)
      const first = await holding(corner)

      const refused = await corner.kk(['deploy', 'impatient.yaml', '--output', 'ndjson'])
      await corner.write('go', '')
      const one = await first.ended()

      expect(refused.exitCode).toBe(3)
      expect(endings(refused.stdout)).toEqual(['api failed: KK_HELD'])
      expect(refused.stderr).toMatch(
        new RegExp(
          `KK_HELD: ${corner.name}/api is held by \\S+@\\S+ \\(process ${first.pid}, run [\\w-]+\\)`,
        ),
      )
      expect(one.exitCode, one.stderr).toBe(0)
      expect(await records(corner.name)).toEqual(['api 1 deployed'])
    })
  })
})

describe.concurrent('a run of plain helm during a run of kk', () => {
  const interfering = (corner: Corner, when: string) =>
    corner.helm(`
if [ "$1" = ${when} ] && mkdir once 2> once.log; then
  $HELM upgrade api "$CHART" --namespace ${corner.name} --set replicas=2 > other.log 2>&1
fi
exec $HELM "$@"`)
  const chart = join(import.meta.dirname, '../fixtures/charts/workload')

  async function deployed() {
    const corner = await openCorner(patient)
    const {exitCode, stderr} = await corner.kk(['deploy', 'env.yaml'])
    expect(exitCode, stderr).toBe(0)
    await corner.write('env.yaml', patient.replace('api: {}', 'api: {replicas: 3}'))
    return corner
  }

  it('is detected before helm is called', async () => {
    const corner = await deployed()
    const env = {KK_HELM: await interfering(corner, 'template'), CHART: chart}

    const {exitCode, stdout, stderr} = await corner.kk(['deploy', 'env.yaml', '--output', 'ndjson'], {env})

    expect(exitCode).toBe(1)
    expect(endings(stdout)).toEqual(['api failed: KK_RACED'])
    expect(stderr).toContain('expected revision 1, as the plan saw, but found revision 2')
    expect((await records(corner.name)).toSorted()).toEqual(['api 1 superseded', 'api 2 deployed'])
  })

  atNight(() => {
    it('is detected after helm has ended', async () => {
      const corner = await deployed()
      const env = {KK_HELM: await interfering(corner, 'upgrade'), CHART: chart}

      const {exitCode, stdout, stderr} = await corner.kk(['deploy', 'env.yaml', '--output', 'ndjson'], {env})

      expect(exitCode).toBe(1)
      expect(endings(stdout)).toEqual(['api failed: KK_RACED'])
      expect(stderr).toContain('expected revision 2 from helm, but it made 3')
      expect(await records(corner.name)).toContain('api 3 deployed')
    })

    it('is undone by the next run, with a note', async () => {
      const corner = await deployed()
      await corner.write('env.yaml', patient)
      const helm = join(inject('run').toolbox, 'helm4')
      await execa(helm, ['upgrade', 'api', chart, '--namespace', corner.name, '--set', 'replicas=2'], {
        env: kkEnvironment(),
        extendEnv: false,
      })

      const {exitCode, stdout, stderr} = await corner.kk(['deploy', 'env.yaml', '--output', 'ndjson'])

      expect(exitCode, stderr).toBe(0)
      expect(stderr).toContain('changed outside kk (revision 2, kk last wrote 1)')
      expect(endings(stdout)).toEqual(['api upgrade, revision 3'])
    })
  })
})
