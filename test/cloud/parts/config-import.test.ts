import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, it} from 'vitest'
import {kk, kubectl, makeNamespace, nodeUp} from '../../aio/support/node.ts'
import {testDirectory} from '../../support/test-directory.ts'
import {changedEnvironment} from '../support/environment.ts'
import {pushImages, ROOT} from '../support/images.ts'

const GENERATED = join(ROOT, 'test/fixtures/kolla/generated/keystone')
const PLACE = ['--sandbox-name', 'aio']

let namespace: string
let directory: string
beforeAll(async () => {
  await nodeUp()
  await pushImages('mariadb-server', 'rabbitmq', 'memcached', 'keystone', 'toolbox', 'kk')
  namespace = await makeNamespace()
  directory = testDirectory()
})
afterAll(async () => {
  await kubectl(['delete', 'namespace', namespace, '--wait=false'])
})

const inKeystone = (command: string) =>
  kubectl(['exec', '--namespace', namespace, 'deployment/keystone-api', '--', 'bash', '-c', command])

it('keystone issues a token with the configuration that kolla-ansible generated', async () => {
  // Without volumes, on the images that kk builds.
  const environment = await changedEnvironment({
    values: {
      kk: {name: namespace, namespace},
      global: {storage: {ephemeral: true}},
      keystone: {pod: {env: {api: {UWSGI_AUTOLOAD: 'true'}}}},
    },
    only: ['mariadb', 'rabbitmq', 'memcached', 'keystone'],
  })
  const values = join(directory, 'imported')

  const imported = await kk(['config', 'import', GENERATED, '--output-dir', values])
  const deployed = await kk([
    ...['deploy', environment, ...PLACE, '--yes'],
    ...['--values', `keystone=${values}/keystone.yaml`],
    ...['--values', `keystone=${values}/keystone.secrets.yaml`],
  ])
  const tested = await kk(['test', environment, 'keystone', ...PLACE])

  expect(imported.exitCode, imported.stderr).toBe(0)
  expect(deployed.exitCode, deployed.stderr).toBe(0)
  // The test of the chart: a token, and the catalogue.
  expect(tested.exitCode, tested.stderr).toBe(0)
  const generated = await readFile(join(GENERATED, 'keystone.conf'), 'utf8')
  expect(await inKeystone('cat /etc/keystone/keystone.conf')).toBe(generated.trimEnd())
  const placed = '/etc/keystone/keystone.conf /usr/bin/keystone-startup.sh'
  expect((await inKeystone(`stat -c "%U %a %n" ${placed}`)).split('\n')).toEqual([
    'keystone 600 /etc/keystone/keystone.conf',
    'root 755 /usr/bin/keystone-startup.sh',
  ])
  expect(await inKeystone('cat /etc/keystone/domains/keystone.users.conf')).toContain('driver = ldap')
}, 1_800_000)
