import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {kubectl} from '../aio/support/node.ts'
import {token} from './support/client.ts'
import {cloudGone, cloudUp, NAMESPACE, onCloud, type Pod, serving, succeed} from './support/cloud.ts'
import {AIO, changedEnvironment} from './support/environment.ts'
import {query} from './support/in-server.ts'
import {phase} from './support/phase.ts'

const RELEASES = ['2023.1-debian-bookworm', '2024.1-debian-bookworm']

interface Job {
  readonly metadata: {readonly name: string; readonly annotations?: Readonly<Record<string, string>>}
  readonly status: {readonly succeeded?: number; readonly completionTime?: string}
}

interface Revision {
  readonly revision: number
}

beforeAll(cloudUp)
// What is left is of another release than the environment of the next file.
afterAll(cloudGone)

/** When the service in a pod was started; what it waits for before that is in containers of its own. */
const startOf = ({status}: Pod) => Date.parse(status.containerStatuses![0]!.state.running!.startedAt)

const keystoneOf = (tag: string) => ({keystone: {images: {tag}}})

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

describe('the next release of Keystone', () => {
  it.each(RELEASES)('%s migrates the database once, before its pods start', async (tag) => {
    const [known, file] = await Promise.all([migrations(), changedEnvironment({values: keystoneOf(tag)})])

    await phase(`Keystone upgraded to ${tag}`, () => succeed(['upgrade', file, 'keystone', '--yes']))

    const names = new Set(known.map(({metadata}) => metadata.name))
    const ran = (await migrations()).filter(({metadata}) => !names.has(metadata.name))
    const pods = await serving('keystone')
    const started = Math.min(...pods.map(startOf))
    const before = ran.filter(({metadata}) => !metadata.name.includes('db-contract'))
    expect(ran.map(({status}) => status.succeeded)).toEqual([1, 1, 1])
    expect(before).toHaveLength(2)
    for (const {status} of before) expect(Date.parse(status.completionTime!)).toBeLessThanOrEqual(started)
    expect(pods.map(({spec}) => spec.containers[0]!.image.replace(/.*:/, ''))).toEqual([tag])
    expect((await token()).id).toMatch(/^gAAAA/)
  })

  it('is not rolled back across the migration, unless told to keep the schema, and answers then', async () => {
    const history = JSON.parse(await succeed(['history', 'keystone', '--output', 'json']))
    const revisions = (history.revisions as readonly Revision[]).map(({revision}) => revision)
    const revision = Math.max(...revisions) - 1
    const back = ['rollback', AIO, '--release', 'keystone', '--revision', String(revision), '--yes']
    const migrated = await schema()

    const refused = await onCloud(back)
    await phase('Keystone rolled back', () => succeed([...back, '--keep-schema']))

    expect(refused.exitCode, refused.stderr).toBe(3)
    expect(refused.stderr).toContain('--keep-schema')
    expect(await schema()).toBe(migrated)
    expect((await token()).id).toMatch(/^gAAAA/)
  })
})
