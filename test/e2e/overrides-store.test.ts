import {copyFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect, it} from 'vitest'
import {openCorner} from './support/corner.ts'
import {helmRecords} from './support/records.ts'

it('a laptop without the override store of a cloud, or with an older copy, reverts none of its overrides', async () => {
  const corner = await openCorner(`kk:
  OWN
  releases: {web: {chart: workload}}
web: {}
`)
  const laptop = (name: string) => {
    const env = {XDG_STATE_HOME: join(corner.directory, name)}
    return (...args: string[]) => corner.kk(args, {env})
  }
  const [mine, fresh] = [laptop('mine'), laptop('fresh')]
  const override = ['overrides', 'update', 'workload', corner.name, '-e', 'env.yaml', '--set']
  const copy = join(corner.directory, 'old.sqlite')
  await mine(...override, 'conf.answer=41')
  const deployed = await mine('deploy', 'env.yaml')
  await copyFile(join(corner.directory, 'mine/kk/stores/default.sqlite'), copy)
  await mine(...override, 'conf.answer=42')
  await mine('deploy', 'env.yaml')
  const labels = async () => (await helmRecords(corner.name)).at(-1)!.labels

  const without = await fresh('deploy', 'env.yaml')
  const planned = await fresh('plan', 'env.yaml')
  const older = await fresh('upgrade', 'env.yaml', 'web', '--store', copy)
  await fresh(...override, 'conf.answer=7')
  const other = await fresh('reconfigure', 'env.yaml')
  const before = await labels()
  const idle = await mine('deploy', 'env.yaml')
  const adopted = await fresh('deploy', 'env.yaml', '--adopt-store')
  const overruled = await mine('deploy', 'env.yaml')

  expect(deployed).toMatchObject({exitCode: 0})
  for (const refused of [without, planned, older, other, overruled])
    expect(refused).toMatchObject({exitCode: 3, stderr: expect.stringContaining('KK_STORE')})
  expect(without.stderr).toContain('there is no store here')
  expect(older.stderr).toContain('it had 2 changes, the store here has 1')
  expect(before['kk.openstack.org/store-state']).toBe('2')
  expect(idle.stderr).toContain('plan: 1 unchanged')
  expect(adopted).toMatchObject({exitCode: 0})
  expect((await labels())['kk.openstack.org/store']).not.toBe(before['kk.openstack.org/store'])
})
