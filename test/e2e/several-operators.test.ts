import {existsSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import type {RunEvent} from '../../src/run/events.ts'
import {atNight} from '../support/night.ts'
import {start} from './support/background.ts'
import {waitFor} from './support/cluster.ts'
import {type Corner, openCorner} from './support/corner.ts'
import {endings, eventsIn} from './support/events.ts'
import {holdByHand, holders, takeLease} from './support/leases.ts'
import {records} from './support/snapshot.ts'

const COLLEAGUE = 'colleague@elsewhere'
const waitsFor = (name: string) => (event: RunEvent) =>
  event.type === 'release-progressed' &&
  event.release.endsWith(`/${name}`) &&
  event.phase === 'lease' &&
  !!event.blames

/** `api` and `worker` need each other. */
const GROUP = `
kk:
  OWN
  releases:
    api: {chart: workload, requires: [{release: worker, kind: applied}]}
    worker: {chart: workload, requires: [{release: api, kind: applied}]}
api: {}
worker: {}
`
const PAIR = `
kk:
  OWN
  releases:
    db: {chart: workload}
    api: {chart: workload, requires: [db]}
db: {}
api: {}
`

atNight(() => {
  describe.concurrent('while another process holds a release', () => {
    it('no member of its group starts, and no Lease is held', async () => {
      const corner = await openCorner(GROUP)
      const colleague = await holdByHand(COLLEAGUE, `${corner.name}/worker`)
      const run = start(corner, ['deploy', 'env.yaml'])
      const waiting = await run.saw(waitsFor('api'), 'api waits for the Lease of worker')
      const meanwhile = {records: await records(corner.name), held: await holders(corner.name)}

      await colleague.free()
      const {exitCode, stderr} = await run.ended()

      expect(waiting).toMatchObject({
        blames: [{object: `${corner.name}/worker`, message: `it is held by ${COLLEAGUE}`}],
      })
      expect(meanwhile).toEqual({records: [], held: [`worker by ${COLLEAGUE}`]})
      expect(exitCode, stderr).toBe(0)
      expect((await records(corner.name)).toSorted()).toEqual(['api 1 deployed', 'worker 1 deployed'])
      expect(await holders(corner.name)).toEqual([])
    })

    it('--no-wait refuses every verb before any change, and names the holder of each release', async () => {
      const corner = await openCorner(PAIR)
      await corner.kk(['deploy', 'env.yaml'])
      await corner.write('env.yaml', PAIR.replace('api: {}', 'api: {replicas: 2}'))
      await corner.kk(['deploy', 'env.yaml'])
      await corner.write('env.yaml', PAIR.replace('api: {}', 'api: {replicas: 3}'))
      const before = await records(corner.name)
      const colleague = await holdByHand(COLLEAGUE, `${corner.name}/api`)
      const verbs = [
        ['deploy', 'env.yaml'],
        ['upgrade', 'env.yaml', 'api'],
        ['rollback', 'env.yaml'],
        ['remove', 'env.yaml', 'api'],
        ['destroy', 'env.yaml', '--confirm', corner.name],
      ]

      const refusals = await Promise.all(verbs.map((words) => corner.kk([...words, '--yes', '--no-wait'])))
      const after = await records(corner.name)
      await colleague.free()
      const next = await corner.kk(['deploy', 'env.yaml', '--no-wait'])

      expect(refusals.map(({exitCode}) => exitCode)).toEqual([3, 3, 3, 3, 3])
      for (const {stderr} of refusals)
        expect(stderr).toContain(
          `error KK_HELD: ${corner.name}/api is held by ${COLLEAGUE}; nothing was changed\nhint: wait until that has ended`,
        )
      expect(after).toEqual(before)
      expect(next.exitCode, next.stderr).toBe(0)
    })

    it('--no-wait fails a release whose Lease another process takes during the run', async () => {
      const corner = await openCorner(PAIR)
      const run = start(corner, ['deploy', 'env.yaml', '--no-wait'], {env: {KK_HELM: await heldHelm(corner)}})
      await called(corner)

      const colleague = await holdByHand(COLLEAGUE, `${corner.name}/api`)
      await corner.write('go', '')
      const {exitCode, stdout} = await run.ended()
      await colleague.free()

      expect(exitCode).toBe(3)
      expect(endings(stdout)).toEqual(['db install, revision 1', 'api failed: KK_HELD'])
      expect(await records(corner.name)).toEqual(['db 1 deployed'])
    })
  })
})

/** A helm that waits for `go` when it is to install, and says when it is told to end. */
function heldHelm(corner: Corner) {
  return corner.helm(`
case $1 in install)
  trap 'touch terminated; exit 1' TERM
  touch called
  until [ -e go ]; do sleep 0.05; done
esac
exec $HELM "$@"`)
}

const called = ({directory}: Corner) =>
  waitFor(async () => existsSync(join(directory, 'called')), {until: 'helm is called'})

it.concurrent('a run that loses a Lease terminates its helm, starts nothing more, and reports what cannot be undone', async () => {
  const corner = await openCorner(PAIR.replace(', requires: [db]', ''))
  const run = start(corner, ['deploy', 'env.yaml', '--concurrency', '1'], {
    env: {KK_HELM: await heldHelm(corner)},
  })
  await called(corner)

  await takeLease(`${corner.name}/db`, COLLEAGUE)
  const {exitCode, stdout, stderr} = await run.ended()

  expect(exitCode, stderr).toBe(1)
  expect(existsSync(join(corner.directory, 'terminated'))).toBe(true)
  expect(endings(stdout)).toEqual(['db failed: KK_LEASE_LOST', 'api skipped: db lease-lost'])
  expect(eventsIn(stdout).find(({type}) => type === 'release-failed')).toMatchObject({
    error: {
      message: expect.stringMatching(
        `the hold on ${corner.name}/db was lost: ${COLLEAGUE} has it now; helm install was running, and was terminated. Its changes`,
      ),
      hint: expect.stringContaining('kk status'),
    },
  })
  expect(stderr).toContain('skipped because the hold on db was lost')
  expect(await holders(corner.name)).toEqual([`db by ${COLLEAGUE}`])
})
