import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {load} from 'js-yaml'
import {describe, expect, it} from 'vitest'
import {mergeValues} from '../../src/base/merge.ts'
import type {Values} from '../../src/base/values.ts'
import {GIVEN, useCharts} from './support/charts.ts'
import {find, pods, secret, workloads} from './support/objects.ts'

const charts = await useCharts()
const PAGE = readFileSync(join(import.meta.dirname, '../../docs/oidc.md'), 'utf8')
const [, block = ''] = /```yaml\n(global:\n.*?)```/s.exec(PAGE) ?? []
const {federation} = (load(block) as {readonly global: {readonly federation: {readonly oidc: Values}}}).global
const global = mergeValues(GIVEN, {federation})
const names = (objects: Awaited<ReturnType<typeof charts.render>>) =>
  objects.map(({kind, metadata}) => `${kind}/${metadata.name.replace(/-[0-9a-f]{8}$/, '')}`)

describe('the provider of docs/oidc.md', () => {
  it('puts Apache in front of Keystone, with the secret of its client from the Secret of the deployer', async () => {
    const objects = await charts.render('keystone', {global})

    const {data = {}} = find(objects, 'ConfigMap', 'keystone-etc')
    const apache = secret(objects, 'keystone-files', 'apache.conf')
    expect(data['keystone-api-uwsgi.ini']).toContain('socket = /tmp/keystone.sock')
    expect(data['keystone-api-uwsgi.ini']).not.toMatch(/^http/m)
    expect(apache).toMatch(
      /^LoadModule [\s\S]*^OIDCClientSecret "\$\{OIDC_CLIENT_SECRET\}"$[\s\S]*^<LocationMatch "/m,
    )
    expect(data['keystone.conf']).toMatch(/^trusted_dashboard = http.*\/auth\/websso\/$/m)
    const [api] = pods(workloads(objects))
    const {env} = api!.spec.containers[0] as unknown as {readonly env: readonly object[]}
    expect(env).toContainEqual({
      name: 'OIDC_CLIENT_SECRET',
      valueFrom: {secretKeyRef: {name: 'keystone-oidc', key: 'client-secret'}},
    })
    expect(names(objects)).toContain('Job/keystone-federation')
  })

  it('is on the login page of the dashboard', async () => {
    const objects = await charts.render('horizon', {global})

    const settings = secret(objects, 'horizon-files', '_9998-kolla-settings.py')
    expect(settings).toContain('WEBSSO_ENABLED = True')
    expect(settings).toContain('WEBSSO_IDP_MAPPING = {"corp": ["corp", "openid", ], }')
    expect(settings).toContain('["corp", "Example Corporation", ]')
    expect(settings).toMatch(/^WEBSSO_KEYSTONE_URL = "https?:.*\/v3"$/m)
  })

  it('needs a mapping', async () => {
    const {mapping: _, ...oidc} = federation.oidc

    expect(await charts.refusal('keystone', {values: {federation: {oidc}}})).toContain(
      'federation.oidc.mapping',
    )
  })
})

it('Keystone without a provider has neither Apache nor its Job', async () => {
  const objects = await charts.render('keystone')

  expect(JSON.stringify(objects)).not.toContain('apache2')
  expect(names(objects)).not.toContain('Job/keystone-federation')
})
