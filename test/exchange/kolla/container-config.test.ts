import {expect, it} from 'vitest'
import {readContainerConfig} from '../../../src/exchange/kolla/container-config.ts'

const read = (value: unknown) =>
  readContainerConfig({file: 'config.json', text: typeof value === 'string' ? value : JSON.stringify(value)})
const file = {source: '/var/lib/kolla/config_files/a', dest: '/etc/a', owner: 'keystone', perm: '0600'}

it('reads all keys of kolla', () => {
  const config = {
    command: 'serve',
    config_files: [file, {source: '/x', dest: '/y/', preserve_properties: true, optional: true, merge: true}],
    permissions: [{path: '/var/log', owner: 'a:b', perm: '0770', recurse: true, exclude: ['x']}],
  }

  expect(read(config)).toEqual(config)
  expect(read({command: 'serve'})).toEqual({command: 'serve', config_files: [], permissions: []})
})

it.each([
  ['{"command": "a",,}', 'config.json: expected JSON, got something else at position 16'],
  [[], 'config.json:1:1: expected a map with the key "command", got a list'],
  [{}, 'config.json:1:1: expected the key "command", got only an empty map'],
  [{command: 7}, 'config.json:1:2: command: expected a string, got the number 7'],
  [{command: 'a', files: []}, 'expected one of the keys command, config_files, permissions, got "files"'],
  [
    {command: 'a', config_files: [{...file, mode: 1}]},
    'config_files.0.mode: expected one of the keys source',
  ],
  [
    {command: 'a', config_files: [{...file, perm: '600'}]},
    'config_files.0.perm: expected a mode such as "0600"',
  ],
  [{command: 'a', config_files: [{...file, dest: 'a'}]}, 'config_files.0.dest: expected an absolute path'],
  [{command: 'a', config_files: [{source: '/a', dest: '/b'}]}, '/a: expected owner and perm'],
  [{command: 'a', permissions: [{path: '/a'}]}, 'permissions.0: expected the key "owner", got only path'],
])('rejects %j: %s', (value, message) => {
  expect(() => read(value)).toThrow(
    expect.objectContaining({code: 'KK_KOLLA', message: expect.stringContaining(message)}),
  )
})
