import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {atNight} from '../support/night.ts'
import {annotatePods} from './support/annotate-pods.ts'
import {start} from './support/background.ts'
import {kubectl} from './support/cluster.ts'
import {type Corner, openCorner} from './support/corner.ts'
import {endings, eventsIn} from './support/events.ts'
import {plainHelm} from './support/plain-helm.ts'
import {records} from './support/snapshot.ts'

const ROOT = join(import.meta.dirname, '../..')

/** The real six, in a corner, with this provider of tokens in keystone.conf. */
async function writeAllInOne(corner: Corner, provider: string) {
  const text = await readFile(join(ROOT, 'environments/all-in-one.yaml'), 'utf8')
  const own = [
    'kk:',
    '  name: NAME',
    '  namespace: NAME',
    `  charts: [${join(ROOT, 'charts')}]`,
    '  releases: {keystone: {timeout: 20s}}',
    '',
  ].join('\n')
  const edited = text
    .replace(/^kk:\n(?: .*\n)*/m, own)
    .replace('keystone:\n  pod:', `keystone:\n  conf: {keystone: {token: {provider: ${provider}}}}\n  pod:`)
  await corner.write('env.yaml', edited)
}

atNight(() => {
  describe.concurrent('a failed Job', () => {
    it('is run again by the next deploy, even without other changes', async () => {
      const corner = await openCorner(
        'kk:\n  OWN\n  releases: {db: {chart: workload}}\ndb: {job: {pod: {}}}\n',
      )
      await kubectl(['create', 'namespace', corner.name])
      const repair = await annotatePods({
        namespace: corner.name,
        labels: {'batch.kubernetes.io/job-name': 'db-job'},
        annotations: {'sandbox.kk.openstack.org/fail': 'JobFailed'},
      })
      const broken = await corner.kk(['deploy', 'env.yaml'])
      await repair()

      const again = await corner.kk(['deploy', 'env.yaml'])

      expect(broken.exitCode).toBe(1)
      expect(again.stderr).toContain('failed, and is run again: Job/db-job')
      expect(again.exitCode).toBe(0)
      expect((await corner.kk(['status', 'env.yaml'])).exitCode).toBe(0)
    })
  })
})

atNight(() => {
  describe.concurrent('a deploy with a broken keystone', () => {
    it('leaves rabbitmq deployed, and glance and horizon skipped, and the next run continues from there', async () => {
      const corner = await openCorner()
      await writeAllInOne(corner, 'fermet')
      await kubectl(['create', 'namespace', corner.name])
      const repair = await annotatePods({
        namespace: corner.name,
        labels: {'app.kubernetes.io/name': 'keystone', 'app.kubernetes.io/component': 'api'},
        annotations: {'sandbox.kk.openstack.org/fail': 'CrashLoopBackOff'},
      })

      const broken = await corner.kk(['deploy', 'env.yaml', '--output', 'ndjson'])

      expect(broken.exitCode).toBe(1)
      expect(endings(broken.stdout).toSorted()).toEqual([
        'glance skipped: keystone failed',
        'horizon skipped: keystone failed',
        'keystone failed: KK_UNHEALTHY',
        'mariadb install, revision 1',
        'memcached install, revision 1',
        'rabbitmq install, revision 1',
      ])
      expect(eventsIn(broken.stdout).at(-1)).toMatchObject({
        type: 'run-finished',
        outcome: 'failed',
        succeeded: 3,
        failed: 1,
        skipped: 2,
      })
      const summary = broken.stderr.slice(broken.stderr.indexOf('✖'))
      expect(summary).toMatch(
        /^✖ keystone failed after .*\n {2}error KK_UNHEALTHY: .*pod keystone-api-\S+, container/,
      )
      expect(summary).toContain('- glance, horizon skipped because keystone failed')
      expect(summary).toContain('3 installed, 1 failed, 2 skipped')
      expect(summary).toContain('next: kk deploy env.yaml')

      await repair()
      await writeAllInOne(corner, 'fernet')
      const repaired = await corner.kk(['deploy', 'env.yaml', '--output', 'ndjson'])

      expect(repaired.exitCode, repaired.stderr).toBe(0)
      expect(
        endings(repaired.stdout)
          .filter((line) => !/unchanged|check/.test(line))
          .toSorted(),
      ).toEqual(['glance install, revision 1', 'horizon install, revision 1', 'keystone upgrade, revision 2'])
      expect((await records(corner.name)).toSorted()).toEqual([
        'glance 1 deployed',
        'horizon 1 deployed',
        'keystone 1 superseded',
        'keystone 2 deployed',
        'mariadb 1 deployed',
        'memcached 1 deployed',
        'rabbitmq 1 deployed',
      ])
    })
  })
})

describe.concurrent('after a failure', () => {
  /** `broken` fails at once; `after` starts when `late` is there. */
  const BRANCHES = `
kk:
  OWN
  releases:
    broken: {chart: workload}
    above: {chart: workload, requires: [broken]}
    top: {chart: workload, requires: [above]}
    late: {chart: workload}
    after: {chart: workload, requires: [late]}
broken: {job: {pod: {fail: JobFailed}}}
top: {}
late: {}
after: {}
`

  /** Deploys; `late` is installed no sooner than `broken` has failed. */
  async function deployBranches(...flags: readonly string[]) {
    const corner = await openCorner(BRANCHES)
    const helm = await corner.helm(`
case "$*" in "install "*" late "*) until [ -e failed ]; do sleep 0.05; done; esac
exec $HELM "$@"`)
    const run = start(corner, ['deploy', 'env.yaml', ...flags], {env: {KK_HELM: helm}})
    await run.saw(({type}) => type === 'release-failed', 'broken has failed')
    await corner.write('failed', '')
    return {corner, ...(await run.ended())}
  }

  it('independent branches continue, and dependents of the failed release are skipped because of it', async () => {
    const {exitCode, stdout, stderr} = await deployBranches()

    expect(exitCode).toBe(1)
    expect(endings(stdout)).toEqual([
      'broken failed: KK_UNHEALTHY',
      'above skipped: broken failed',
      'top skipped: broken skipped',
      'late install, revision 1',
      'after install, revision 1',
    ])
    expect(stderr).toContain('2 installed, 1 failed, 2 skipped')
  })

  atNight(() => {
    it('--fail-fast starts no further release, and lets running ones finish', async () => {
      const {corner, exitCode, stdout, stderr} = await deployBranches('--fail-fast')

      expect(exitCode).toBe(1)
      expect(endings(stdout)).toEqual([
        'broken failed: KK_UNHEALTHY',
        'above skipped: broken failed',
        'top skipped: broken skipped',
        'after skipped: broken fail-fast',
        'late install, revision 1',
      ])
      expect(stderr).toContain('1 installed, 1 failed, 3 skipped')
      expect((await records(corner.name)).toSorted()).toEqual(['broken 1 deployed', 'late 1 deployed'])
    })
  })

  it('the single document of --output json contains the failure and the reason for each skipped release', async () => {
    const corner = await openCorner(BRANCHES)

    const {exitCode, stdout} = await corner.kk(['deploy', 'env.yaml', '--output', 'json'])

    expect(exitCode).toBe(1)
    const {releases} = JSON.parse(stdout)
    const states = releases.map(({release, state}: {release: string; state: string}) => [
      release.split('/')[1],
      state,
    ])
    expect(Object.fromEntries(states)).toEqual({
      broken: 'failed',
      above: 'skipped',
      top: 'skipped',
      late: 'succeeded',
      after: 'succeeded',
    })
    expect(releases.find(({state}: {state: string}) => state === 'failed').error).toMatchObject({
      code: 'KK_UNHEALTHY',
      message: expect.stringContaining('Job/broken-job'),
    })
  })
})

atNight(() => {
  describe.concurrent('a release that plain helm removes during its gate', () => {
    it('is no longer awaited', async () => {
      const corner = await openCorner(
        'kk:\n  OWN\n  releases: {db: {chart: workload}}\ndb: {pod: {ready-after: 300s}}\n',
      )
      const deploy = start(corner, ['deploy', 'env.yaml'])
      await deploy.saw(
        (event) => event.type === 'release-progressed' && event.phase === 'gate',
        'db is awaited',
      )

      await plainHelm(['uninstall', 'db', '--namespace', corner.name])

      const {exitCode, stderr} = await deploy.ended()
      expect(exitCode).toBe(1)
      expect(stderr).toContain('error KK_RACED')
      expect(stderr).toMatch(/db: another process changed it in the meantime: it is (gone|uninstalling)/)
    })
  })
})
