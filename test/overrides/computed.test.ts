import {mkdir, readdir, writeFile} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {beforeAll, describe, expect, it, vi} from 'vitest'
import type {Helm} from '../../src/helm/helm.ts'
import {openHelm} from '../../src/helm/open.ts'
import {helmVersion} from '../../src/helm/version.ts'
import {computedValues} from '../../src/overrides/computed.ts'
import {HELMS} from '../support/helms.ts'
import {testDirectory} from '../support/test-directory.ts'
import {toolPath} from '../support/tools.ts'

const CHART = {
  'Chart.yaml': `
apiVersion: v2
name: glance
version: 0.1.0
dependencies:
  - {name: cache, version: 0.1.0, condition: cache.enabled}
  - {name: common, version: 0.1.0}
`,
  'values.yaml':
    'port: 9292\ndebug: false\npod: {replicas: {api: 1}}\nhosts: [a, b]\ncache: {enabled: true}\n',
  'values.schema.json': '{"type": "object", "properties": {"port": {"type": "integer"}}}',
  'templates/deployment.yaml': '{{ fail "the chart itself is not rendered" }}',
  'charts/cache/Chart.yaml': 'apiVersion: v2\nname: cache\nversion: 0.1.0\n',
  'charts/cache/values.yaml': 'size: 64\n',
  'charts/cache/templates/deployment.yaml': '{{ fail "nor is a subchart" }}',
  'charts/common/Chart.yaml': 'apiVersion: v2\nname: common\nversion: 0.1.0\ntype: library\n',
  'charts/common/templates/_names.tpl': '{{- define "common.name" -}}x{{- end -}}',
}

describe.each(HELMS)('the values that %s computes', (name) => {
  let chart: string
  let helm: Helm
  const computed = (values: object) =>
    computedValues(helm, {name: 'glance', namespace: 'openstack', chart, values: {...values}})

  beforeAll(async () => {
    chart = testDirectory()
    for (const [path, text] of Object.entries(CHART)) {
      await mkdir(dirname(join(chart, path)), {recursive: true})
      await writeFile(join(chart, path), text)
    }
    const path = await toolPath(name)
    helm = openHelm({path, version: await helmVersion(path, process.env), env: process.env})
  }, 600_000)

  it('are the defaults of the chart and its subcharts under the given values', async () => {
    expect(
      await computed({port: 80, pod: {replicas: {db: 2}}, hosts: ['c'], global: {region: 'one'}}),
    ).toEqual({
      port: 80,
      debug: false,
      pod: {replicas: {api: 1, db: 2}},
      hosts: ['c'],
      global: {region: 'one'},
      cache: {enabled: true, size: 64, global: {region: 'one'}},
      common: {global: {region: 'one'}},
    })
  })

  it('lack a default that null removes', async () => {
    expect(await computed({debug: null})).not.toHaveProperty('debug')
  })

  it('lack a disabled subchart', async () => {
    expect(await computed({cache: {enabled: false}})).toMatchObject({cache: {enabled: false}})
    expect(await computed({cache: {enabled: false}})).not.toHaveProperty('cache.size')
  })

  it('do not count as a Kubernetes object', async () => {
    const values = {kind: 'Secret', metadata: {annotations: {'helm.sh/hook': 'test'}}, text: 'a\n---\nb: <&>'}

    expect(await computed(values)).toMatchObject(values)
  })

  it('keep characters that YAML cannot represent unquoted', async () => {
    const values = {text: 'a\u007fb\u0085c\u2028d\ufeffe'}

    expect(await computed(values)).toMatchObject(values)
  })

  it('are refused if they violate the schema', async () => {
    await expect(computed({port: 'x'})).rejects.toMatchObject({code: 'KK_VALUES'})
  })

  it('are returned if schema validation is skipped', async () => {
    const call = {name: 'glance', namespace: 'openstack', chart, values: {port: 'x'}}

    expect(await computedValues(helm, call, {skipSchema: true})).toMatchObject({port: 'x', debug: false})
  })

  it('leave no files behind', async () => {
    const temporary = testDirectory()
    vi.stubEnv('TMPDIR', temporary)

    await computed({})
    await expect(computed({port: 'x'})).rejects.toThrow()

    expect(await readdir(temporary)).toEqual([])
    vi.unstubAllEnvs()
  })
})
