import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeEach, describe, expect, it} from 'vitest'
import {readServiceCharts} from '../../../src/exchange/kolla/service-charts.ts'
import {mergeConfig} from '../../../src/verbs/config/merge-config.ts'
import {testDirectory} from '../../support/test-directory.ts'

const CONFIG = join(import.meta.dirname, '../../fixtures/kolla/config')
/** The charts that the fixture was made for: what else kk deploys changes nothing here. */
const NAMES = ['glance', 'horizon', 'keystone', 'mariadb', 'memcached', 'placement', 'rabbitmq']
const charts = (await readServiceCharts(join(import.meta.dirname, '../../../charts'))).filter(({name}) =>
  NAMES.includes(name),
)
const merged = async (directory: string, host?: string) => {
  const {releases, ...told} = await mergeConfig(directory, {charts, host})
  return {...told, of: (name: string) => releases.find(({release}) => release === name)!}
}

describe("the user's files", () => {
  it("are laid over each other in kolla's order", async () => {
    const {of, files} = await merged(CONFIG)

    expect(of('keystone').values).toMatchObject({
      conf: {
        keystone: {
          DEFAULT: {debug: 'True', max_token_size: '4'},
          database: {max_pool_size: '3', max_overflow: '5'},
          oslo_messaging_notifications: {
            driver: 'messagingv2',
            topics: {type: 'multistring', values: ['notifications', 'barbican_notifications']},
          },
          auth: {methods: 'password,\ntoken'},
          ldap: {user: 'cn=keystone'},
        },
        policy: {'identity:list_users': 'role:auditor'},
      },
    })
    expect(files).toContainEqual({
      release: 'keystone',
      file: 'keystone.conf',
      sources: ['global.conf', 'database.conf', 'messaging.conf', 'keystone.conf', 'keystone/keystone.conf'],
    })
  })

  it('of a host come last, when the host is named', async () => {
    const {of, leftOut} = await merged(CONFIG, 'controller01')

    expect(of('keystone').values).toMatchObject({conf: {keystone: {database: {max_overflow: '6'}}}})
    expect(leftOut).toEqual([{file: 'nova/nova.conf', why: 'no chart has such a file'}])
  })

  it('of a host are told of otherwise', async () => {
    const {leftOut} = await merged(CONFIG)

    expect(leftOut).toContainEqual({
      file: 'keystone/controller01/keystone.conf',
      why: 'it is for the host controller01: --host controller01 takes it',
    })
  })

  it('that are for every service reach each that oslo.config configures, and no other', async () => {
    const {files} = await merged(CONFIG)

    expect(new Set(files.map(({file}) => file))).toEqual(
      new Set(['glance-api.conf', 'keystone.conf', 'placement.conf', 'policy.yaml']),
    )
  })

  it('have their secrets apart, and their file in a Secret', async () => {
    const {of} = await merged(CONFIG)

    expect(JSON.stringify(of('keystone').values)).not.toContain('dev-directory')
    expect(of('keystone').secrets).toEqual({
      conf: {keystone: {ldap: {password: 'dev-directory'}}},
      files: {keystone: {secret: true}},
    })
    expect(of('glance').secrets).toEqual({})
  })
})

describe('a directory of the user', () => {
  let directory: string
  beforeEach(async () => {
    directory = testDirectory()
  })

  it('may say in a stronger file openly what a weaker one had as a secret', async () => {
    await writeFile(join(directory, 'global.conf'), '[cache]\nbackend_url = redis://:marked-1@cache\n')
    await writeFile(join(directory, 'keystone.conf'), '[cache]\nbackend_url = redis://cache\n')

    const {of} = await merged(directory)

    expect(of('keystone')).toMatchObject({
      values: {conf: {keystone: {cache: {backend_url: 'redis://cache'}}}},
      secrets: {},
    })
  })

  it.each([
    ['other.conf', '[a]\nb = c\n', 'expected global.conf, SERVICE.conf or SERVICE/FILE in it'],
    ['config.json', '{}', 'expected files that you wrote, got what kolla-ansible generated'],
    ['global.conf', 'b = c\n', 'global.conf:1: expected a [section] before the first option'],
  ])('with %s alone is refused: %j', async (name, text, message) => {
    await writeFile(join(directory, name), text)

    await expect(merged(directory)).rejects.toMatchObject({
      code: 'KK_KOLLA',
      message: expect.stringContaining(message),
    })
  })
})
