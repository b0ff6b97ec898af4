import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {load} from 'js-yaml'
import {expect, it} from 'vitest'
import {useCharts} from './support/charts.ts'
import {find, pods, workloads} from './support/objects.ts'

const charts = await useCharts()
const PAGE = readFileSync(join(import.meta.dirname, '../../docs/ldap.md'), 'utf8')
const [, block = ''] = /```yaml\n(keystone:\n.*?)```/s.exec(PAGE) ?? []
const {keystone} = load(block) as {readonly keystone: object}

it('the domain of docs/ldap.md has a file, and the API its password from the Secret of the deployer', async () => {
  const objects = await charts.render('keystone', {values: keystone})

  const [api] = pods(workloads(objects))
  const files = find(objects, 'ConfigMap', 'keystone-etc').data!
  expect(files['keystone.corp.conf']).toMatch(/^\[identity\]\ndriver = ldap$/m)
  expect(files['keystone.corp.conf']).toMatch(/^url = ldaps:\/\/ldap\.example\.org$/m)
  expect(files['keystone.conf']).toContain('domain_config_dir = /etc/keystone/domains')
  expect(JSON.stringify(objects)).toContain('/etc/keystone/domains/keystone.corp.conf')
  const {env} = api!.spec.containers[0] as unknown as {readonly env: readonly object[]}
  expect(env).toContainEqual({
    name: 'OS_LDAP__PASSWORD',
    valueFrom: {secretKeyRef: {name: 'keystone-ldap', key: 'password'}},
  })
})

it('a variable from a Secret needs its name and a key', async () => {
  const values = {pod: {env: {api: {OS_LDAP__PASSWORD: {secret: 'keystone-ldap'}}}}}

  expect(await charts.refusal('keystone', {values})).toContain('OS_LDAP__PASSWORD')
})
