import {expect, it} from 'vitest'
import {importContainer} from '../../../src/exchange/kolla/read.ts'

const config = {command: 'serve', config_files: [], permissions: [{path: '/etc/keys/a', owner: 'k'}]}
const imported = (texts: Record<string, string>, options: {command?: string; readOnly?: string[]} = {}) =>
  importContainer({
    file: 'config.json',
    config: {...config, command: options.command ?? 'serve'},
    texts: new Map(Object.entries(texts)),
    passwords: ['marked-anywhere'],
    readOnly: options.readOnly ?? [],
  })

it.each([
  ['an option that is named so', '[ldap]\npassword = x1\n', true],
  ['a URL', '[database]\nconnection = mysql+pymysql://keystone:x1@db/keystone\n', true],
  ['a private key', '-----BEGIN RSA PRIVATE KEY-----\nx\n-----END RSA PRIVATE KEY-----\n', true],
  ['one of the passwords', 'echo marked-anywhere\n', true],
  ['nothing', '[token]\nprovider = fernet\n', false],
])('puts a file with a secret into a Secret: %s', (_, text, isSecret) => {
  const {values, secrets, files} = imported({file: text})

  expect(files).toEqual([{name: 'file', isSecret}])
  expect(values.files).toEqual(isSecret ? {} : {file: text})
  expect(secrets).toEqual({secrets: isSecret ? {file: text} : {}})
})

it.each([
  ['http = 192.0.2.11:5000', '192.0.2.11:5000'],
  ['http = 0.0.0.0:5000', undefined],
  ['http = :5000', undefined],
  ['Listen 192.0.2.11:5000', '192.0.2.11:5000'],
  ['Listen 5000', undefined],
  ['<VirtualHost *:5000>', undefined],
  ['bind-address = 2001:db8::1', '2001:db8::1'],
  ['bind_host = ::', undefined],
  ['memcache_servers = 192.0.2.11:11211', undefined],
])('notes %s, because no pod has the address', (line, address) => {
  const {notes} = imported({'a.conf': `# first\n${line}\n`})

  const expected = address === undefined ? [] : [expect.stringContaining(`a.conf:2 listens at ${address},`)]
  expect(notes).toEqual(expected)
})

it('notes a command that listens at the address of a host', () => {
  const {notes} = imported({}, {command: '/usr/bin/memcached -v -l 192.0.2.11 -p 11211'})

  expect(notes).toEqual([expect.stringContaining('the command listens at 192.0.2.11,')])
})

it('omits owners below read-only mounts, with a note', () => {
  const {values, notes} = imported({}, {readOnly: ['/etc/keys']})

  expect(values.permissions).toEqual([])
  expect(notes).toEqual(['the owner of /etc/keys/a is omitted: the chart mounts it read-only'])
  expect(imported({}, {readOnly: ['/etc/key']}).values.permissions).toEqual(config.permissions)
})

it('rejects a command with a secret without quoting it', () => {
  const importing = () => imported({}, {command: 'serve --password=marked-1'})

  expect(importing).toThrow(expect.objectContaining({code: 'KK_KOLLA'}))
  expect(importing).not.toThrow(/marked/)
})

it('rejects more than a ConfigMap holds', () => {
  expect(() => imported({big: 'x'.repeat(1_000_001)})).toThrow(
    /at most 1000000 bytes in all, got 1000001: big/,
  )
})
