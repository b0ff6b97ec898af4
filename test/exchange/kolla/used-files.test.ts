import {expect, it} from 'vitest'
import {usedFiles} from '../../../src/exchange/kolla/container-config.ts'

const NAMES = ['a.conf', 'b.conf', 'domains/users.conf', 'policy.yaml']
const used = (source: string, optional = false) =>
  usedFiles(
    'config.json',
    {command: '', permissions: [], config_files: [{source, dest: '/x', optional}]},
    NAMES,
  )

it.each([
  ['a.conf', ['a.conf']],
  ['*.conf', ['a.conf', 'b.conf']],
  ['domains', ['domains/users.conf']],
  ['domains/', ['domains/users.conf']],
  ['domains/*.conf', ['domains/users.conf']],
  ['*', NAMES],
])('resolves the source %s to %j', (source, names) => {
  expect(used(`/var/lib/kolla/config_files/${source}`)).toEqual(names)
})

it('allows optional files to be missing, also outside the directory', () => {
  expect(used('/var/lib/kolla/config_files/missing', true)).toEqual([])
  expect(used('/etc/ceph', true)).toEqual([])
})

it.each([
  ['/var/lib/kolla/config_files/missing', 'which is not in its directory'],
  ['/etc/ceph/ceph.conf', 'expected sources below /var/lib/kolla/config_files/, got /etc/ceph/ceph.conf'],
])('rejects %s', (source, message) => {
  expect(() => used(source)).toThrow(
    expect.objectContaining({code: 'KK_KOLLA', message: expect.stringContaining(message)}),
  )
})
