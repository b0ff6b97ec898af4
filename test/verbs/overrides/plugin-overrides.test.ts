import {expect, it} from 'vitest'
import {definePlugin} from '../../../src/overrides/system/plugin.ts'
import {builtInPlugins, withPlugins} from '../../../src/overrides/system/plugins.ts'
import {pluginOverrides} from '../../../src/verbs/overrides/plugin-overrides.ts'

it('what a plugin makes is shown without secrets, declared or not, unless they are asked for', async () => {
  const overrides = {conf: {pin: 1234, password: 'geheim'}, region: 'north'}
  const plugin = definePlugin({
    chart: 'mine',
    reads: [],
    secrets: [{name: 'pin', kind: 'password', path: ['conf', 'pin']}],
    overrides: () => overrides,
  })
  const options = {
    active: [{name: 'mine', namespaces: ['openstack']}],
    ...{chart: 'mine', namespace: 'openstack', facts: {}},
    plugins: withPlugins(builtInPlugins(), [plugin]),
  }

  const masked = await pluginOverrides(options)
  const shown = await pluginOverrides({...options, showSecrets: true})

  expect(masked).toEqual({conf: {pin: '***', password: '***'}, region: 'north'})
  expect(shown).toEqual(overrides)
})
