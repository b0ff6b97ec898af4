import {join} from 'node:path'
import {execa} from 'execa'
import {describe, expect, inject, it} from 'vitest'
import {atNight} from '../support/night.ts'
import {atWork, deploy, hooked, installing, succeed, type Working, whileWaiting} from './support/at-work.ts'
import {get, waitFor} from './support/cluster.ts'
import {type Corner, openCorner} from './support/corner.ts'
import {endings} from './support/events.ts'
import {kkEnvironment} from './support/kk.ts'
import {records} from './support/snapshot.ts'

async function killBoth(corner: Corner, working?: Working): Promise<void> {
  const work = await atWork(corner, working)
  await work.killKk()
  await work.killHelm()
}

const helm = (version: 3 | 4, args: readonly string[]) =>
  execa(join(inject('run').toolbox, `helm${version}`), args, {
    env: kkEnvironment(),
    extendEnv: false,
    reject: false,
  })
const CHART = join(import.meta.dirname, '../fixtures/charts/workload')

describe.concurrent('kk killed together with its helm', () => {
  it('leaves a pending release that plan and status report, and the next deploy recovers immediately', async () => {
    const corner = await openCorner(installing('10m'))
    await killBoth(corner)
    await corner.write('env.yaml', installing('0s'))

    const status = await corner.kk(['status', 'env.yaml'])
    const plan = await corner.kk(['plan', 'env.yaml'])
    const begun = performance.now()
    const next = await deploy(corner)
    const seconds = (performance.now() - begun) / 1000

    expect(status.exitCode).toBe(1)
    expect(status.stdout).toMatch(/^hooked +1 +pending-install/m)
    const reason =
      /revision 1 was left pending-install by run \S+, whose helm is gone: marked failed, then upgraded/
    expect(status.stdout).toMatch(/hooked: .*run \S+, whose helm is gone, left it so: kk deploy recovers it/)
    expect(plan.stdout).toMatch(reason)
    expect(next.stderr).toMatch(reason)
    expect(next.endings).toEqual(['hooked upgrade, revision 2'])
    expect(await records(corner.name)).toEqual(['hooked 1 superseded', 'hooked 2 deployed'])
    // The Lease of the dead run lasts for a minute.
    expect(seconds).toBeLessThan(40)
  })

  atNight(() => {
    it('during a rollback or removal: the same command completes it, and a deploy restores a partly removed release', async () => {
      const content = {hook: 'post-rollback,post-delete', time: '5s'}
      const corner = await openCorner(hooked(content))
      await deploy(corner)
      await corner.write('env.yaml', hooked({...content, replicas: 2}))
      await deploy(corner)
      const remove = ['remove', 'hooked', '-e', 'env.yaml', '--yes']

      const rollback = ['rollback', 'env.yaml', '--yes']
      await killBoth(corner, {words: rollback, until: 'hooked 3 pending-rollback'})
      const rolledBack = await succeed(corner, rollback)
      await killBoth(corner, {words: remove, until: 'hooked 4 uninstalling'})
      const broughtBack = await deploy(corner)
      const {items} = await get<{items: readonly object[]}>('deployments', '--namespace', corner.name)
      await killBoth(corner, {words: remove, until: 'hooked 5 uninstalling'})
      await succeed(corner, remove)

      expect(rolledBack.stderr).toMatch(
        /revision 3 was left pending-rollback by run \S+, whose helm is gone: marked failed/,
      )
      expect(rolledBack.endings).toEqual(['hooked rollback, revision 4'])
      expect(broughtBack.stderr).toMatch(
        /revision 4 was left uninstalling by .*, then upgraded, which re-creates what was deleted/,
      )
      expect(broughtBack.endings).toEqual(['hooked upgrade, revision 5'])
      expect(items).toHaveLength(1)
      expect(await records(corner.name)).toEqual([])
    })

    it('with helm 3: both helm versions read the marked record unchanged, and helm 3 upgrades the release', async () => {
      const corner = await openCorner(installing('10m'))
      const values = ['get', 'values', 'hooked', '--namespace', corner.name, '--output', 'json']
      const work = await atWork(corner, {version: 3})
      const before = await helm(3, values)

      await work.killHelm()
      await work.run.ended()
      const after = [await helm(3, values), await helm(4, values)]
      const history = await helm(4, ['history', 'hooked', '--namespace', corner.name, '--output', 'json'])
      await corner.write('env.yaml', installing('0s'))
      const next = await succeed(corner, [
        'deploy',
        'env.yaml',
        '--helm',
        join(inject('run').toolbox, 'helm3'),
      ])

      expect(before.stdout).toContain('"password":')
      expect(after.map(({stdout}) => stdout)).toEqual([before.stdout, before.stdout])
      expect(JSON.parse(history.stdout)).toMatchObject(
        [{revision: 1, status: 'failed', description: /^kk: helm ended and left it pending-install/}].map(
          (entry) => ({...entry, description: expect.stringMatching(entry.description)}),
        ),
      )
      expect(next.endings).toEqual(['hooked upgrade, revision 2'])
    })
  })
})

atNight(() => {
  describe.concurrent('a helm whose kk was killed', () => {
    it('is awaited, nothing is done twice, and its release cannot be unlocked', async () => {
      const corner = await openCorner(installing('10s'))
      const work = await atWork(corner)
      await work.signalHelm('SIGSTOP')
      const unlock = ['unlock', `${corner.name}/hooked`, '--revision', '1', '--yes']
      const refused = await corner.kk(unlock)
      await work.killKk()

      const {next, said} = await whileWaiting(corner, ['deploy', 'env.yaml'], () =>
        work.signalHelm('SIGCONT'),
      )

      expect(refused.exitCode).toBe(3)
      expect(refused.stderr).toMatch(
        /KK_PENDING: \S+ is pending-install at revision 1: helm \(process \d+\) of run \S+ is working on it/,
      )
      expect(said).toMatch(
        /hooked: run \S+ is gone, but its helm install \(process \d+\) is still running: waiting for it/,
      )
      expect(next.exitCode, said).toBe(0)
      expect(endings(next.stdout)).toEqual(['hooked await, revision 1'])
      expect(await records(corner.name)).toEqual(['hooked 1 deployed'])
    })
  })
})

const STORE = `
kk: {name: NAME, namespace: NAME, charts: [CHARTS/../guarded], releases: {db: {chart: store}}}
db: {}
`

atNight(() => {
  it.concurrent('a surviving helm that removes a release leaves its confirmed data to the same command', async () => {
    const corner = await openCorner(STORE)
    await deploy(corner)
    const claims = async () => {
      const {items} = await get<{items: readonly {metadata: {name: string}}[]}>('pvc', '-n', corner.name)
      return items.map(({metadata}) => metadata.name)
    }
    const KK_HELM = await corner.helm('case $1 in uninstall) kill -9 $PPID; esac; exec $HELM "$@"')
    const without = ['remove', 'db', '-e', 'env.yaml', '--yes', '--confirm', 'db']
    const remove = [...without, ...['db-backup', 'data-db-0'].flatMap((name) => ['--confirm-data', name])]
    const {signal} = await corner.kk([...remove, '--delete-data'], {env: {KK_HELM}})
    await waitFor(async () => (await records(corner.name)).length === 0, {until: 'helm has removed db'})

    const resumed = await corner.kk(['resume', 'env.yaml'])
    const told = await corner.kk(without)
    const dry = await corner.kk([...without, '--delete-data', '--dry-run'])
    const left = await claims()
    const again = await corner.kk([...remove, '--delete-data'])
    const after = await claims()
    const last = await corner.kk([...remove, '--delete-data'])

    expect(signal).toBe('SIGKILL')
    expect(resumed.stderr).toMatch(/hint: kk remove db -e env.yaml$/)
    expect(told.exitCode, told.stderr).toBe(0)
    expect(told.stderr).toMatch(
      /\/db is removed, but not its claim \S+\/data-db-0, which run \S+ should have deleted: --delete-data --confirm-data data-db-0/,
    )
    expect(dry.exitCode, dry.stderr).toBe(3)
    expect(dry.stderr).toContain('--confirm-data data-db-0')
    expect(left).toEqual(['data-db-0'])
    expect(again.exitCode, again.stderr).toBe(0)
    expect(again.stderr).toMatch(/deleted the claim \S+\/data-db-0, which run \S+ should have deleted/)
    expect(after).toEqual([])
    expect(last.exitCode, last.stderr).toBe(0)
    expect(last.stderr).toContain('db is not installed: nothing to remove')
    expect(last.stderr).not.toContain('claim')
  })
})

describe.concurrent('helm killed alone', () => {
  it('fails the run, which marks the release failed; the next deploy upgrades it', async () => {
    const corner = await openCorner(installing('10m'))
    const work = await atWork(corner)

    await work.killHelm()
    const {exitCode, stderr} = await work.run.ended()
    const after = await records(corner.name)
    await corner.write('env.yaml', installing('0s'))
    const next = await deploy(corner)

    expect(exitCode, stderr).toBe(1)
    expect(after).toEqual(['hooked 1 failed'])
    expect(next.endings).toEqual(['hooked upgrade, revision 2'])
  })
})

atNight(() => {
  describe.concurrent('plain helm', () => {
    const plain = hooked({hook: 'test', time: '0s'})

    it('killed during an upgrade leaves a release that only kk unlock recovers', async () => {
      const corner = await openCorner(plain)
      await deploy(corner)
      const upgrade = execa(
        join(inject('run').toolbox, 'helm4'),
        [
          ...['upgrade', 'hooked', CHART, '--namespace', corner.name],
          ...['--set', 'job.hook=post-upgrade,job.pod.complete-after=10m'],
        ],
        {env: kkEnvironment(), extendEnv: false, reject: false},
      )
      await waitFor(async () => (await records(corner.name)).includes('hooked 2 pending-upgrade'), {
        until: 'helm upgrades',
      })
      upgrade.kill('SIGKILL')
      await upgrade
      const unlock = ['unlock', `${corner.name}/hooked`, '--revision']

      const refused = await corner.kk(['deploy', 'env.yaml'])
      const dry = await corner.kk([...unlock, '2', '--dry-run'])
      const unconfirmed = await corner.kk([...unlock, '2'])
      const other = await corner.kk([...unlock, '1', '--yes'])
      const before = await records(corner.name)
      const done = await corner.kk([...unlock, '2', '--yes', '--output', 'json'])
      const after = await records(corner.name)
      const again = await corner.kk([...unlock, '2', '--yes'])
      const next = await deploy(corner)

      expect(refused.exitCode).toBe(3)
      expect(refused.stderr).toMatch(
        /hooked is pending-upgrade at revision 2, and nothing shows that kk did it/,
      )
      expect(refused.stderr).toMatch(/hint: .*kk unlock hooked --revision 2/)
      expect(dry.exitCode, dry.stderr).toBe(0)
      expect(dry.stdout).toMatch(/revision +2, pending-upgrade\nwritten +\S+Z, .* ago\nheld by +no one/)
      expect([unconfirmed.exitCode, unconfirmed.stderr]).toEqual([
        3,
        expect.stringContaining('KK_UNCONFIRMED'),
      ])
      expect([other.exitCode, other.stderr]).toEqual([
        3,
        expect.stringContaining('revision 1 is not the last'),
      ])
      expect(before.toSorted()).toEqual(['hooked 1 deployed', 'hooked 2 pending-upgrade'])
      expect(done.exitCode, done.stderr).toBe(0)
      expect(JSON.parse(done.stdout)).toMatchObject({
        revision: 2,
        evidence: {state: 'foreign'},
        unlocked: true,
      })
      expect(after.toSorted()).toEqual(['hooked 1 deployed', 'hooked 2 failed'])
      expect([again.exitCode, again.stderr]).toEqual([3, expect.stringContaining('nothing to unlock')])
      expect(next.endings).toEqual(['hooked upgrade, revision 3'])
    })

    it('with uninstall --keep-history leaves a history over which kk installs', async () => {
      const corner = await openCorner(plain)
      await deploy(corner)
      await helm(4, ['uninstall', 'hooked', '--keep-history', '--namespace', corner.name])

      const next = await deploy(corner)
      const last = await corner.kk(['plan', 'env.yaml', '--detailed-exitcode'])

      expect(next.stderr).toContain('only its history is left (revision 1): installed again')
      expect(next.endings).toEqual(['hooked install, revision 2'])
      expect(await records(corner.name)).toContain('hooked 2 deployed')
      expect(last.exitCode, last.stdout).toBe(0)
    })
  })
})
