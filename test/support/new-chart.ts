import {cp, mkdir, readFile, rm, symlink, writeFile} from 'node:fs/promises'
import {basename, join} from 'node:path'
import {execa} from 'execa'
import {testDirectory} from './test-directory.ts'

const ROOT = join(import.meta.dirname, '../..')
/** What is made, or fetched, and no part of the tree. */
const LEFT_OUT = ['node_modules', 'dist', '.git']

/** What the chart `example` takes by hand, by path: its own folder, that of its image, and its plugin. */
const NEW_CHART: Readonly<Record<string, string>> = {
  'charts/example/.helmignore': '*.md\n',
  'charts/example/Chart.yaml': `apiVersion: v2
name: example
description: "A service that a test makes"
type: application
version: 0.1.0
appVersion: "2025.1"
kubeVersion: ">=1.29.0-0"
dependencies:
  - name: common
    version: ">=0.1.0"
    repository: file://../common
annotations:
  kk.openstack.org/requires: "mariadb, memcached, rabbitmq, keystone"
`,
  'charts/example/values.yaml': `image: example-api
user: {name: example, id: 42499}
components:
  api:
    endpoint: example_v1
    wsgi: example.wsgi.api:application
    probe: {path: /}
    resources: {requests: {cpu: 100m, memory: 128Mi}}
  agent:
    kind: DaemonSet
    image: example-agent
    command: example-agent
    node: compute
    host: {network: true}
    privileged: true
    probe: {exec: [example-agent, --is-serving]}
serves:
  example_v1:
    scheme: {default: http}
    port: {api: {default: 9999}}
    path: {default: /v1}
files:
  example:
    path: /etc/example/example.conf
    uses:
      logging: true
      database: true
      keystone_authtoken: {user: example, service_type: example}
      notifications: true
databases: {example: {}}
registration:
  services:
    example: {type: example-v1, description: Example}
  users:
    example: {role: admin}
jobs:
  db-sync:
    command: example-manage db_sync
    needs: [oslo_db]
    after: [db-create]
    reads: [database]
    migration: true
tests:
  test:
    script: example-test.sh
    login: example
conf: {}
endpoints: {}
images: {}
pod: {}
manifests: {}
`,
  'charts/example/templates/example.yaml': '{{ include "common.chart" . }}\n',
  'charts/example/templates/_example.tpl': `{{- define "common.scripts.example-test.sh" -}}
set -eu
openstack token issue
{{ end -}}
`,
  'images/example-api/Containerfile':
    'ARG TAG\nFROM localhost/kk/openstack-base:${TAG}\nRUN install-packages python3\n',
  'src/overrides/system/charts/example.ts': `import {definePlugin} from '../plugin.ts'
import {compose} from '../shared/compose.ts'
import {service} from '../shared/service.ts'
import {API, replicas} from '../shared/sizing.ts'

export const plugin = definePlugin({
  chart: 'example',
  reads: ['controllers'],
  kk: ({controllers}) => compose(replicas(controllers, ['api'])),
  overrides: (facts) => service(facts, {perController: ['api'], serves: [], shares: {api: API}}),
})
`,
}

/** In the list of images. */
const ENTRY = `  example-api:
    title: A service that a test makes
    version: deb/python3
    chart: example
`

/**
 * A copy of the tree with two new charts: `cloudkitty`, word by word as `docs/charts.md` says, and `example`,
 * which has an agent on every node, an endpoint that nobody here knows, and a plugin.
 */
export async function copyWithNewCharts(): Promise<{readonly root: string; remove(): Promise<void>}> {
  const root = testDirectory()
  await cp(ROOT, root, {recursive: true, filter: (path) => !LEFT_OUT.includes(basename(path))})
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'))
  for (const [path, text] of Object.entries(NEW_CHART)) {
    await mkdir(join(root, path, '..'), {recursive: true})
    await writeFile(join(root, path), text)
  }
  const [, guide = ''] = (await readFile(join(ROOT, 'docs/charts.md'), 'utf8')).split('\n## A new chart\n')
  const [, commands = ''] = /```sh\n([\s\S]*?)```/.exec(guide)!
  await execa('bash', ['-euc', commands], {cwd: root})
  for (const {path, text} of writtenIn(guide)) await writeFile(join(root, path), text, {flag: 'a'})
  await writeFile(join(root, 'images/images.yaml'), ENTRY, {flag: 'a'})
  return {root, remove: () => rm(root, {recursive: true, force: true})}
}

/**
 * The files of a guide: a block after the path of its file; what stands after "At the end of" is appended.
 */
function writtenIn(guide: string): readonly {readonly path: string; readonly text: string}[] {
  const found = [...guide.matchAll(/`((?:charts|images)\/[^`]+)`:\n\n```\w+\n([\s\S]*?)```/g)]
  return found.map(([, path = '', text = '']) => ({path, text}))
}

/** Runs `npm run charts` in a copy; the lines that it prints. */
export async function runCharts(root: string): Promise<readonly string[]> {
  const {stdout} = await execa(process.execPath, ['scripts/charts.ts'], {cwd: root, lines: true})
  return stdout
}
