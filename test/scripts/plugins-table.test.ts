import {cp, mkdir, mkdtemp, readFile, symlink, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {expect, it} from 'vitest'
import {pluginsTable, writePluginsTable} from '../../scripts/plugins-table.ts'
import {testDirectory} from '../support/test-directory.ts'

const ROOT = join(import.meta.dirname, '../..')
const copy = testDirectory()

it('src/overrides/system/table.ts is what npm run charts writes', async () => {
  const committed = await readFile(join(ROOT, 'src/overrides/system/table.ts'), 'utf8')

  expect(committed).toBe(await pluginsTable())
})

it.each([
  [
    "import {definePlugin} from '../plugin.ts'\nexport const plugin = definePlugin({chart: 'zebu', reads: [], overrides: () => ({})})",
    'quagga.ts is for the chart zebu: expected `export const plugin` for the chart quagga',
  ],
  ["export const other = 'quagga'", 'quagga.ts exports no plugin'],
])('a plugin file whose name differs from its chart is refused: %j', async (text, message) => {
  const system = join(await mkdtemp(join(copy, 'named-')), 'src/overrides/system')
  await mkdir(join(system, 'charts'), {recursive: true})
  await cp(join(ROOT, 'src/overrides/system/plugin.ts'), join(system, 'plugin.ts'))
  await writeFile(join(system, 'charts/quagga.ts'), text)

  await expect(pluginsTable(system)).rejects.toThrow(message)
})

it('a new plugin needs only a new file', async () => {
  const system = join(copy, 'src/overrides/system')
  await cp(join(ROOT, 'src'), join(copy, 'src'), {recursive: true})
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  await writeFile(join(copy, 'package.json'), '{"type": "module"}')

  await writeFile(
    join(system, 'charts/example.ts'),
    `import {definePlugin} from '../plugin.ts'
export const plugin = definePlugin({
  chart: 'example',
  reads: ['controllers'],
  overrides: ({controllers}) => ({pod: {replicas: {api: controllers}}}),
})
`,
  )
  await writePluginsTable(system)
  const {stdout} = await execa('node', ['--input-type=module'], {
    cwd: copy,
    input: `
      import {builtInPlugins} from './src/overrides/system/plugins.ts'
      import {systemOverrides} from './src/overrides/system/system-overrides.ts'
      const active = [{name: 'example', namespaces: ['openstack']}]
      const options = {active, chart: 'example', namespace: 'openstack', facts: {controllers: 2}}
      console.log(JSON.stringify(await systemOverrides({...options, plugins: builtInPlugins()})))`,
  })

  expect(JSON.parse(stdout)).toEqual({pod: {replicas: {api: 2}}})
})
