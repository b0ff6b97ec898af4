import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import type {Values} from '../../../src/base/values.ts'
import {runLine} from '../../aio/support/node.ts'
import {serving, uids} from '../support/cloud.ts'
import {query} from '../support/in-server.ts'
import {makeCloud} from '../support/own-cloud.ts'
import {phase} from '../support/phase.ts'
import {openstackJson, startSteadyClient} from '../support/steady-client.ts'
import {expectInTurn, failuresDuring, inBoth, NEXT, SHARED_IMAGES} from '../support/upgrade.ts'

/** Shared infrastructure, and two pods of Keystone with a change of its section; its database is dumped. */
const withKeystone = (section: Values = {}) => ({
  global: {dumps: {claim: 'dumps', size: '1Gi'}},
  mariadb: {},
  rabbitmq: {},
  memcached: {},
  keystone: {pod: {replicas: {api: 2}}, ...section},
})

let keystone: {readonly namespace: string; readonly release: string}
let cloud: Awaited<ReturnType<typeof makeCloud>>
beforeAll(async () => {
  cloud = await makeCloud(...SHARED_IMAGES, ...inBoth('keystone'))
  keystone = {namespace: cloud.namespace, release: 'keystone'}
  await phase('deployed', () => cloud.run('deploy', withKeystone()))
  await startSteadyClient(cloud.namespace, 'ask = token')
})
afterAll(() => cloud.remove())

/** What Keystone's database says of its schema. */
function schema(): Promise<readonly string[]> {
  const versions = 'SELECT version_num FROM keystone.alembic_version ORDER BY 1'
  return query(cloud.namespace, 'mariadb-server-0', versions)
}

interface Project {
  readonly id: string
}

describe('a changed option of Keystone', () => {
  it('replaces only the pods of Keystone, without a failed token, and is active', async () => {
    const others = async () => {
      const own = uids(await serving('keystone', cloud.namespace))
      return uids(await serving(undefined, cloud.namespace)).filter((uid) => !own.includes(uid))
    }
    const before = await others()
    const changed = withKeystone({conf: {keystone: {token: {expiration: 1800}}}})

    const failures = await phase('reconfigured', () =>
      failuresDuring(keystone, () => cloud.run('reconfigure', changed, 'keystone')),
    )

    const {expires} = await openstackJson<{readonly expires: string}>(cloud.namespace, 'token', 'issue')
    expect(failures).toEqual([])
    expect(await others()).toEqual(before)
    expect((Date.parse(expires) - Date.now()) / 1000).toBeLessThanOrEqual(1800)
    expect((Date.parse(expires) - Date.now()) / 1000).toBeGreaterThan(1500)
  })
})

describe('the next release of Keystone', () => {
  const next = {kk: {features: ['2026.1']}, ...withKeystone()}
  let before: readonly string[]

  it('migrates once, before and after its pods are replaced, without a failed token', async () => {
    const project = await openstackJson<Project>(cloud.namespace, 'project', 'create', 'kept')
    before = await schema()

    const failures = await phase('upgraded', () =>
      failuresDuring(keystone, () => cloud.run('upgrade', next, 'keystone')),
    )

    expect(failures).toEqual([])
    await expectInTurn(keystone, ['db-expand', 'db-migrate', 'api', 'db-contract'])
    expect(await schema()).not.toEqual(before)
    const pods = await serving('keystone', cloud.namespace)
    expect(pods.map(({spec}) => spec.containers[0]!.image.replace(/.*:/, ''))).toEqual([NEXT, NEXT])
    const kept = await openstackJson<Project>(cloud.namespace, 'project', 'show', 'kept')
    expect(kept.id).toBe(project.id)
  })

  it('returns to the dump from before the migration by the commands of the refused rollback', async () => {
    await openstackJson<Project>(cloud.namespace, 'project', 'create', 'late')

    const refused = await cloud.attempt('rollback', next)
    const commands = refused.stderr.split('\n').filter((line) => line.trim().startsWith('kubectl '))
    for (const command of commands) await phase('restored', () => runLine(command))
    await phase('rolled back', () => cloud.run('rollback', next, '--keep-schema'))

    expect(refused.exitCode, refused.stderr).toBe(3)
    expect(refused.stderr).toMatch(/to the claim dumps: keystone\/keystone-db-expand-[0-9a-f]{8}\.sql\.gz/)
    expect(commands).toHaveLength(2)
    expect(await schema()).toEqual(before)
    const projects = await openstackJson<readonly {readonly Name: string}[]>(
      cloud.namespace,
      'project',
      'list',
    )
    expect(projects.map(({Name}) => Name)).toContain('kept')
    expect(projects.map(({Name}) => Name)).not.toContain('late')
  })

  it('is not rolled back across the migration except with the schema kept, and then responds', async () => {
    await phase('upgraded again', () => cloud.run('upgrade', next, 'keystone'))
    const migrated = await schema()

    const refused = await cloud.attempt('rollback', next)
    const failures = await phase('rolled back', () =>
      failuresDuring(keystone, () => cloud.run('rollback', next, '--keep-schema')),
    )

    expect(refused.exitCode, refused.stderr).toBe(3)
    expect(refused.stderr).toContain('--keep-schema')
    expect(failures).toEqual([])
    expect(await schema()).toEqual(migrated)
    await openstackJson<Project>(cloud.namespace, 'project', 'show', 'kept')
  })
})
