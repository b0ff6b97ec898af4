import {expect, it} from 'vitest'
import {definePlugin} from '../../../src/overrides/system/plugin.ts'
import {builtInPlugins, withPlugins} from '../../../src/overrides/system/plugins.ts'
import {localOverrides} from '../../../src/verbs/overrides/local-overrides.ts'
import {factsBase, secretPathsOf} from '../../../src/verbs/overrides/override-base.ts'
import {overridesHistory} from '../../../src/verbs/overrides/show-overrides.ts'
import {setting, temporaryStore} from './support/service.ts'

const OUTSIDE = definePlugin({
  chart: 'rabbitmq',
  reads: [],
  secrets: [{name: 'pin', kind: 'password', path: ['conf', 'pin']}],
  overrides: () => ({pod: {replicas: {server: 1}}}),
})

/** Overrides that a plugin from outside made a secret of, on a store that is used without that plugin. */
async function openWithout() {
  const store = await temporaryStore()
  const built = builtInPlugins()
  const [first, later] = [withPlugins(built, [OUTSIDE]), built].map((plugins) => {
    const base = factsBase({facts: {charts: {rabbitmq: []}, controllers: 1}, plugins})
    return localOverrides({base, store, allowSecrets: true})('tester')
  })
  await first!.update(
    'rabbitmq',
    'openstack',
    setting('conf.pin=geheim', 'conf.list={geheim}', 'conf.on=true'),
  )
  const history = (showSecrets: boolean) =>
    overridesHistory(store, {showSecrets, secretPaths: secretPathsOf(built)})
  return {store, service: later!, history}
}

it('encrypted overrides without known secret paths are masked as a whole, and only these', async () => {
  const {service, history} = await openWithout()

  const shown = await service.show('rabbitmq', 'openstack')
  const explained = await service.explain('rabbitmq', 'openstack')

  const masked = "conf:\n  list:\n  - '***'\n  'on': '***'\n  pin: '***'\n"
  expect(shown.userOverrides).toBe(masked)
  expect(shown.combinedOverrides).toBe(`${masked}pod:\n  replicas:\n    server: 1\n`)
  expect(explained.map(({path, value}) => [path.join('.'), value])).toEqual([
    ['pod.replicas.server', 1],
    ['conf.list', ['***']],
    ['conf.on', '***'],
    ['conf.pin', '***'],
  ])
  expect(JSON.stringify(explained)).not.toContain('geheim')
  expect(await history(false)).toMatchObject([{before: null, after: masked}])
})

it('encrypted overrides without a plugin are shown with showSecrets', async () => {
  const {service, history} = await openWithout()

  const shown = await service.show('rabbitmq', 'openstack', {showSecrets: true})

  expect(shown.userOverrides).toContain('pin: geheim\n')
  expect(await history(true)).toMatchObject([{after: shown.userOverrides}])
})

it('encrypted overrides without a plugin stay encrypted when merged, but not when replaced', async () => {
  const {service, store} = await openWithout()

  const updated = await service.update('rabbitmq', 'openstack', {...setting('a=1'), flag: 'reuse'})
  const after = await store.get('rabbitmq', 'openstack')
  await service.update('rabbitmq', 'openstack', setting('a=1'))
  const replaced = await store.get('rabbitmq', 'openstack')

  expect(updated.userOverrides).not.toContain('geheim')
  expect(after?.sealed).toMatch(/^kk-sealed:/)
  expect(replaced?.sealed).toBeUndefined()
})
