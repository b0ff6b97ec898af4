import {beforeAll, describe, expect, it} from 'vitest'
import type {Values} from '../../../src/release.ts'
import {kubectl} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {token} from '../support/client.ts'
import {cloudOf, NAMESPACE, ofOthers, onCloud, type Pod, serving, succeed, uids} from '../support/cloud.ts'
import {CLOUD, changedEnvironment} from '../support/environment.ts'
import {query} from '../support/in-server.ts'
import {phase} from '../support/phase.ts'
import {answersDuring, startTokenClient} from '../support/token-client.ts'

const RELEASES = ['2026.1-debian-trixie']
const REPLICAS = 2

interface Job {
  readonly metadata: {readonly name: string; readonly annotations?: Readonly<Record<string, string>>}
  readonly status: {readonly succeeded?: number; readonly completionTime?: string}
}

interface Revision {
  readonly revision: number
}

/** The environment with two pods of Keystone, and a change of its section. */
function withKeystone(section: Values = {}): Promise<string> {
  return changedEnvironment({values: {keystone: {pod: {replicas: {api: REPLICAS}}, ...section}}})
}

// What it leaves is of another release than the environment of the other files: it is the last by its place and name.
beforeAll(async () => {
  await cloudOf(await withKeystone())
  await startTokenClient()
})

/** When the service in a pod was started; what it waits for before that is in containers of its own. */
const startOf = ({status}: Pod) => Date.parse(status.containerStatuses![0]!.state.running!.startedAt)

async function migrations(): Promise<readonly Job[]> {
  const {items} = JSON.parse(
    await kubectl([
      ...['get', 'jobs', '--namespace', NAMESPACE, '--output', 'json'],
      ...['--selector', 'app.kubernetes.io/instance=keystone'],
    ]),
  ) as {readonly items: readonly Job[]}
  return items.filter(({metadata}) => metadata.annotations?.['kk.openstack.org/migration'] === 'true')
}

/** What Keystone's database says of its schema. */
async function schema(): Promise<string> {
  const versions = 'SELECT version_num FROM keystone.alembic_version ORDER BY 1'
  return (await query(NAMESPACE, 'mariadb-server-0', versions)).join('\n')
}

/** Runs a verb that replaces Keystone's pods, until all are new; resolves with what a client saw that was no token. */
async function failuresDuring(verb: 'reconfigure' | 'upgrade', file: string): Promise<readonly string[]> {
  const old = uids(await serving('keystone'))
  const answers = await answersDuring(async () => {
    await succeed([verb, file, 'keystone', '--yes'])
    await waitFor(
      async () => {
        const now = uids(await serving('keystone'))
        return now.length === REPLICAS && !now.some((uid) => old.includes(uid))
      },
      {until: 'the old pods are gone'},
    )
  })
  expect(answers.length).toBeGreaterThan(20)
  return answers.filter((answer) => answer !== 'token')
}

describe('a changed option of Keystone', () => {
  it("replaces Keystone's pods and no others, without a failed token, and is live", async () => {
    const before = await serving()
    const file = await withKeystone({conf: {keystone: {token: {expiration: 1800}}}})

    const failures = await phase('Keystone reconfigured', () => failuresDuring('reconfigure', file))

    const {expires} = await token()
    expect(failures).toEqual([])
    expect(uids(ofOthers(await serving()))).toEqual(uids(ofOthers(before)))
    expect((Date.parse(expires) - Date.now()) / 1000).toBeLessThanOrEqual(1800)
    expect((Date.parse(expires) - Date.now()) / 1000).toBeGreaterThan(1500)
  })
})

describe('the next release of Keystone', () => {
  it.each(RELEASES)('%s migrates once, before its pods start, without a failed token', async (tag) => {
    const [known, file] = await Promise.all([migrations(), withKeystone({images: {tag}})])

    const failures = await phase(`Keystone upgraded to ${tag}`, () => failuresDuring('upgrade', file))

    expect(failures).toEqual([])
    const names = new Set(known.map(({metadata}) => metadata.name))
    const ran = (await migrations()).filter(({metadata}) => !names.has(metadata.name))
    const pods = await serving('keystone')
    const started = Math.min(...pods.map(startOf))
    const before = ran.filter(({metadata}) => !metadata.name.includes('db-contract'))
    expect(ran.map(({status}) => status.succeeded)).toEqual([1, 1, 1])
    expect(before).toHaveLength(2)
    for (const {status} of before) expect(Date.parse(status.completionTime!)).toBeLessThanOrEqual(started)
    expect(pods.map(({spec}) => spec.containers[0]!.image.replace(/.*:/, ''))).toEqual([tag, tag])
    expect((await token()).id).toMatch(/^gAAAA/)
  })

  it('is not rolled back across the migration, unless told to keep the schema, and answers then', async () => {
    const history = JSON.parse(await succeed(['history', 'keystone', '--output', 'json']))
    const revisions = (history.revisions as readonly Revision[]).map(({revision}) => revision)
    const revision = Math.max(...revisions) - 1
    const back = ['rollback', CLOUD, '--release', 'keystone', '--revision', String(revision), '--yes']
    const migrated = await schema()

    const refused = await onCloud(back)
    await phase('Keystone rolled back', () => succeed([...back, '--keep-schema']))

    expect(refused.exitCode, refused.stderr).toBe(3)
    expect(refused.stderr).toContain('--keep-schema')
    expect(await schema()).toBe(migrated)
    expect((await token()).id).toMatch(/^gAAAA/)
  })
})
