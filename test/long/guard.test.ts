import {beforeAll, describe, expect, it} from 'vitest'
import {waitFor} from '../e2e/support/cluster.ts'
import {describeGuard} from '../e2e/support/describe-guard.ts'
import {deployStores, done, type OwnCluster, STORE, startOwnCluster} from '../e2e/support/guarded.ts'

let cluster: OwnCluster
beforeAll(async () => {
  cluster = await startOwnCluster()
  return cluster.end
})

describeGuard('helm3', () => cluster)

describe('a release protected by the guard', () => {
  /** Whether the policy that ends approvals denies what has run out. */
  async function clockIsRead(): Promise<boolean> {
    const clock = ['configmap', 'kk-guard-expiry', '--namespace', 'kk-system', '--dry-run=server']
    return (await cluster.kubectl('delete', ...clock)).exitCode === 1
  }

  it.each(['helm3', 'helm4'] as const)(
    'is upgraded 12 times by %s, which prunes old records',
    async (version) => {
      const namespace = (await deployStores(cluster, version)).name
      await done(cluster.guard('install', '--yes'))
      const helm = (...args: readonly string[]) => cluster.helm(version, ...args, '--namespace', namespace)

      for (let upgrade = 1; upgrade <= 12; upgrade++) {
        await done(
          helm('upgrade', 'db', STORE, '--reset-values', '--set', `note=${upgrade}`, '--history-max', '10'),
        )
      }

      const records = await done(
        cluster.kubectl(
          'get',
          'secrets',
          '--namespace',
          namespace,
          '--selector',
          'owner=helm,name=db',
          '--output',
          'jsonpath={range .items[*]}{.metadata.labels.version} {.metadata.labels.status}{"\\n"}{end}',
        ),
      )
      const revisions = records
        .trim()
        .split('\n')
        .sort((a, b) => Number(a.split(' ')[0]) - Number(b.split(' ')[0]))
      expect(revisions).toEqual([
        ...[4, 5, 6, 7, 8, 9, 10, 11, 12].map((revision) => `${revision} superseded`),
        '13 deployed',
      ])
    },
  )

  // What follows leaves the API server blind for the rest of its life: kubernetes issue 130887.
  it('gets no approval if the API server no longer sees the clock of the guard', async () => {
    const {name} = await deployStores(cluster, 'helm4')
    await done(cluster.guard('install', '--yes'))
    await done(cluster.kubectl('delete', 'validatingadmissionpolicybinding', 'kk-guard-expiry'))
    await waitFor(async () => (await clockIsRead()) === false, {until: 'the policy is bound to nothing'})

    const install = await cluster.guard('install', '--yes')
    const approve = await cluster.guard('approve', `${name}/db`)

    for (const {exitCode, stderr} of [install, approve]) {
      expect(exitCode).toBe(1)
      expect(stderr).toContain('the API server does not see its own clock')
    }
    const denied = await cluster.kubectl('delete', 'statefulset/db', '--namespace', name)
    expect(denied.stderr).toContain(`kk guard approve ${name}/db`)
  })
})
