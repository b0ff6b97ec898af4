import {cp, readFile, rm, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {afterEach, beforeEach, describe, expect, it} from 'vitest'
import {readServiceCharts} from '../../../src/exchange/kolla/service-charts.ts'
import {importConfig} from '../../../src/verbs/config/import-config.ts'
import {testDirectory} from '../../support/test-directory.ts'

const GENERATED = join(import.meta.dirname, '../../fixtures/kolla/generated')
const charts = await readServiceCharts(join(import.meta.dirname, '../../../charts'))
const imported = (directory: string, passwords: readonly string[] = []) =>
  importConfig(directory, {charts, passwords})

describe('what kolla-ansible generated for keystone', async () => {
  const {releases, containers} = await imported(join(GENERATED, 'keystone'))
  const [{release, values, secrets} = {release: '', values: {}, secrets: {}}] = releases

  it('becomes values of the component api, unchanged', async () => {
    const text = await readFile(join(GENERATED, 'keystone/keystone.conf'), 'utf8')

    expect(release).toBe('keystone')
    expect(containers).toMatchObject([{container: 'keystone', chart: 'keystone', component: 'api'}])
    expect(values).toMatchObject({kolla: {api: {command: '/usr/bin/keystone-startup.sh'}}})
    expect(secrets).toMatchObject({kolla: {api: {secrets: {'keystone.conf': text}}}})
  })

  it('has secrets only in the secret values, also those of files below a directory', () => {
    expect(JSON.stringify(values)).not.toContain('dev-')
    expect(containers[0]!.files.filter(({isSecret}) => isSecret).map(({name}) => name)).toEqual([
      'domains/keystone.users.conf',
      'keystone.conf',
    ])
  })

  it('passes its options to the jobs of the chart', () => {
    expect(values).toMatchObject({conf: {keystone: {fernet_tokens: {max_active_keys: '4'}}}})
  })

  it('omits the owner of keys that the chart mounts', () => {
    expect(containers[0]!.notes).toEqual([
      'the owner of /etc/keystone/fernet-keys is omitted: the chart mounts it read-only',
    ])
  })
})

describe('a directory of several', () => {
  it('assigns each container to the component of its name, and reports the reason for the others', async () => {
    const {releases, containers, leftOut} = await imported(GENERATED)

    const names = ['keystone', 'mariadb', 'memcached']
    expect(releases.map(({release}) => release)).toEqual(names)
    expect(containers.map(({container}) => container)).toEqual(names)
    expect(leftOut).toEqual([
      {container: 'blazar-api', why: 'no chart has a component of this name'},
      {container: 'keystone-fernet', why: 'it distributes keys between hosts, which no pod needs'},
    ])
  })

  it('finds passwords anywhere in the files', async () => {
    const {containers} = await imported(join(GENERATED, 'keystone'), ['gracefully_kill_them_all'])

    expect(containers[0]!.files).toContainEqual({name: 'keystone-uwsgi.ini', isSecret: true})
  })
})

describe('a store of data', () => {
  it('imports options of its operation, but not those of machines and members', async () => {
    const {releases, containers} = await imported(join(GENERATED, 'mariadb'))

    expect(releases).toEqual([
      {
        release: 'mariadb',
        values: {conf: {my_cnf: {mysqld: {max_connections: '10000'}}}},
        secrets: {},
      },
    ])
    expect(containers[0]!.files).toEqual([{name: 'galera.cnf', isSecret: false}])
    expect(containers[0]!.notes).toEqual([
      'galera.cnf: the chart sets its address and its members itself: omitted mysqld.bind-address, mysqld.port, mysqld.wsrep_sst_auth',
      'the chart starts it with its own scripts: command and permissions are omitted',
    ])
  })
})

describe('kk config import refuses', () => {
  let directory: string
  beforeEach(async () => {
    directory = join(testDirectory(), 'keystone')
    await cp(join(GENERATED, 'keystone'), directory, {recursive: true})
  })
  afterEach(() => rm(join(directory, '..'), {recursive: true}))

  it.each([
    ['blazar-api', 'KK_KOLLA', 'no chart has a component of this name'],
    ['keystone/domains', 'KK_KOLLA', 'expected a config.json in it, or in directories below'],
    ['nowhere', 'KK_FILE', 'cannot be read (ENOENT)'],
  ])('%s', async (name, code, message) => {
    await expect(imported(join(GENERATED, name))).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    })
  })

  it('a file that config.json names and that does not exist', async () => {
    await rm(join(directory, 'keystone.conf'))

    await expect(imported(directory)).rejects.toThrow(
      /copies .*keystone\.conf, which is not in its directory/,
    )
  })

  it('a binary file', async () => {
    await writeFile(join(directory, 'keystone-paste.ini'), Buffer.from([0xff, 0xfe]))

    await expect(imported(directory)).rejects.toMatchObject({code: 'KK_FILE'})
  })

  it('what config.json does not name is skipped, and that is said', async () => {
    await writeFile(join(directory, 'policy.yaml'), 'a: b\n')

    const {containers} = await imported(directory)

    expect(containers[0]!.notes).toContain('config.json does not name policy.yaml: skipped')
  })
})
