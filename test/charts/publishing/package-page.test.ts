import {join} from 'node:path'
import {load} from 'js-yaml'
import {expect, it} from 'vitest'
import {readPackageFiles} from '../../../src/charts/files/package-files.ts'
import {packChart} from '../../../src/charts/publishing/pack-chart.ts'
import {packagePage} from '../../../src/charts/publishing/package-page.ts'
import {readChart} from '../../../src/charts/read-chart.ts'
import {manifest, writeFiles} from '../support/write-files.ts'

const DEFAULTS = `{{- /* The weakest layer. */ -}}
{{- define "common.context.defaults" -}}
images:
  # The formula.
  registry: registry.example.org
  namespace: kk
  distro: ""
  tag: "1.0"
  tags: {dep_check: registry.example.org/kk/kk:1.0}
{{- end -}}
`

const CHARTS = {
  'aodh/Chart.yaml': manifest(
    'aodh',
    '0.1.0',
    `description: Alarms
appVersion: "2025.1"
dependencies:
- {name: common, version: ">=0.1.0", repository: "file://../common"}
annotations:
  kk.openstack.org/requires: "keystone, ceph?"
  artifacthub.io/license: MIT
`,
  ),
  'aodh/values.yaml': `image: aodh-api
components:
  api: {endpoint: alarming, resources: {requests: {cpu: 100m}}}
  evaluator: {image: aodh-evaluator, kind: DaemonSet, storage: {path: /data, size: 5Gi}}
serves:
  alarming: {scheme: {default: http}, port: {api: {default: 8042}}}
conf:
  aodh: {DEFAULT: {evaluation_interval: 300, words: "a|b", none: ""}}
`,
  'common/Chart.yaml': manifest('common', '0.1.0', 'type: library\n'),
  'common/templates/_defaults.tpl': DEFAULTS,
}

function aodh(more: Readonly<Record<string, string>> = {}) {
  return readChart(join(writeFiles({...CHARTS, ...more}), 'aodh'))
}

it('the README of a package lists the requirements and values of a chart', () => {
  const {readme} = packagePage(aodh(), ['global.endpoints.oslo_db.auth.aodh.password'])

  expect(readme).toBe(`# aodh

Alarms. Version 2025.1.

## Install

Install these charts first, each under its own name: keystone, ceph (where it is used).

\`\`\`sh
helm install aodh REPOSITORY/aodh --namespace openstack --values values.yaml
\`\`\`

Passwords and keys have no defaults. Pass the same values to all charts, for example in one values file:

- \`global.endpoints.oslo_db.auth.aodh.password\`

## Values

| key | default | meaning |
| --- | --- | --- |
| \`pod.replicas.api\` | \`1\` | pods of api |
| \`pod.resources.api\` | \`{"requests":{"cpu":"100m"}}\` | requests and limits of api |
| \`pod.resources.evaluator\` | \`{}\` | requests and limits of evaluator |
| \`images.tags.api\` | \`registry.example.org/kk/aodh-api:1.0\` | the image of api |
| \`images.tags.evaluator\` | \`registry.example.org/kk/aodh-evaluator:1.0\` | the image of evaluator |
| \`images.tags.dep_check\` | \`registry.example.org/kk/kk:1.0\` | the image of dep_check |
| \`storage.size\` | \`5Gi\` | the size of a volume |
| \`endpoints.alarming.port.api.default\` | \`8042\` | a port |
| \`conf.aodh.DEFAULT.evaluation_interval\` | \`300\` | an option of the configuration |
| \`conf.aodh.DEFAULT.words\` | \`a\\|b\` | an option of the configuration |
| \`conf.aodh.DEFAULT.none\` | \`""\` | an option of the configuration |

Other keys of \`values.schema.json\` are the same for all charts: \`images\`, \`pod\`, \`endpoints\`, \`storage\`, \`manifests\`. Each key may also be set below \`global\`.
`)
})

it("a package has a README and the annotations of its page, but the chart's own files win", async () => {
  const page = {
    readme: '# made\n',
    annotations: {'artifacthub.io/license': 'made', 'artifacthub.io/images': 'made'},
  }

  const bare = await filesOf(aodh(), page)
  const full = await filesOf(aodh({'aodh/README.md': '# written\n'}), page)

  expect(bare['README.md']).toBe('# made\n')
  expect(full['README.md']).toBe('# written\n')
  expect(load(bare['Chart.yaml']!)).toMatchObject({
    annotations: {
      'artifacthub.io/images': 'made',
      'artifacthub.io/license': 'MIT',
      'kk.openstack.org/requires': 'keystone, ceph?',
    },
  })
})

it('the annotations for Artifact Hub contain the images', () => {
  const {annotations} = packagePage(aodh(), [])

  expect(load(annotations['artifacthub.io/images']!)).toEqual([
    {name: 'api', image: 'registry.example.org/kk/aodh-api:1.0'},
    {name: 'evaluator', image: 'registry.example.org/kk/aodh-evaluator:1.0'},
    {name: 'dep_check', image: 'registry.example.org/kk/kk:1.0'},
  ])
})

async function filesOf(chart: ReturnType<typeof aodh>, page: ReturnType<typeof packagePage>) {
  const {bytes, file} = await packChart(chart, {page})
  const files = await readPackageFiles(bytes, file)
  return Object.fromEntries(files.map(({path, bytes: content}) => [path, content.toString()]))
}
