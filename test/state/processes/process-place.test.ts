import {execa} from 'execa'
import {afterEach, expect, it, vi} from 'vitest'
import {findProcess, identifyProcess} from '../../../src/state/processes/process-identity.ts'
import {
  type ProcessPlace,
  readProcessState,
  relationOf,
  thisPlace,
  thisProcess,
} from '../../../src/state/processes/process-place.ts'

const here: ProcessPlace = {
  host: 'laptop',
  machine: 'm',
  boot: 'b',
  pids: 'pid:[4026531836]',
  user: 1000,
}

it.each<[string, Partial<ProcessPlace>, ReturnType<typeof relationOf>]>([
  ['the same place', {}, 'here'],
  ['another host', {host: 'other'}, 'elsewhere'],
  ['another user', {user: 0}, 'elsewhere'],
  ['a container of this machine', {pids: 'pid:[4026539999]'}, 'elsewhere'],
  ['this machine before it was started again', {boot: 'a'}, 'before'],
  ['another machine of that name', {boot: 'a', machine: 'n'}, 'elsewhere'],
  ['a container of that name', {boot: 'a', pids: 'pid:[4026539999]'}, 'elsewhere'],
])('%s', (_, other, relation) => {
  expect(relationOf({...here, ...other}, here)).toBe(relation)
})

it('sightProcess cannot see a process whose place has no boot id', () => {
  expect(relationOf({host: 'laptop'}, {host: 'laptop'})).toBe('elsewhere')
})

afterEach(() => vi.unstubAllEnvs())

it('thisProcess includes the pod if all its variables are set', async () => {
  vi.stubEnv('KK_POD_NAMESPACE', 'kk-system')
  vi.stubEnv('KK_POD_NAME', 'kk-operator-x')
  expect(await thisPlace()).not.toHaveProperty('pod')

  vi.stubEnv('KK_POD_UID', 'u')

  expect(await thisPlace()).toMatchObject({pod: {namespace: 'kk-system', name: 'kk-operator-x', uid: 'u'}})
})

it('sightProcess sees this process as running, and an earlier one of its id as gone', async () => {
  const self = await thisProcess()

  expect(await readProcessState(self)).toBe('running')
  expect(await readProcessState({...self, started: '1'})).toBe('gone')
  expect(await readProcessState({...self, host: 'other'})).toBe('unseen')
})

it('findProcess finds a process by its environment, and by that of its parent', async () => {
  const child = execa('sh', ['-c', 'sleep 60; true'], {
    env: {KK_OPERATION: 'r/a/b'},
    stdio: 'ignore',
    reject: false,
  })
  const shell = await identifyProcess(child.pid!)
  await expect.poll(() => findProcess('KK_OPERATION', 'r/a/b')).toBeDefined()
  child.kill('SIGKILL')
  await child

  const left = await findProcess('KK_OPERATION', 'r/a/b')
  process.kill(left!.pid)

  expect(left!.pid).not.toBe(shell!.pid)
  await expect.poll(() => findProcess('KK_OPERATION', 'r/a/b')).toBeUndefined()
  expect(await findProcess('KK_OPERATION', 'r/a')).toBeUndefined()
})
