import {mkdir, writeFile} from 'node:fs/promises'
import {dirname, join} from 'node:path'

const NAMES =
  'mariadb rabbitmq memcached keystone glance cinder nova neutron placement heat horizon barbican magnum octavia'.split(
    ' ',
  )
/** As many named templates as the library of openstack-helm has. */
const DEFINES = 120
/** The templates of a chart. */
const TEMPLATES = 36
const ENDPOINTS =
  'identity image compute volume network oslo_db oslo_messaging oslo_cache dashboard placement orchestration'.split(
    ' ',
  )

/**
 * Writes fourteen charts in the dialect of openstack-helm and of its size, which declare no requirements, and
 * an environment of them. Returns its file.
 */
export async function writeOpenStackCharts(directory: string): Promise<string> {
  const charts = join(directory, 'charts')
  await write(join(charts, 'helm-toolkit/Chart.yaml'), manifest('helm-toolkit'))
  for (let index = 0; index < DEFINES; index++)
    await write(join(charts, `helm-toolkit/templates/_part${index}.tpl`), define(index))
  for (const name of NAMES) {
    const library = '{name: helm-toolkit, version: "*", repository: "file://../helm-toolkit"}'
    await write(join(charts, name, 'Chart.yaml'), `${manifest(name)}dependencies: [${library}]\n`)
    await write(join(charts, name, 'values.yaml'), values(name))
    await write(join(charts, name, 'templates/deployment.yaml'), deployment(name))
    for (let index = 0; index < TEMPLATES; index++)
      await write(join(charts, name, `templates/scripts-${index}.yaml`), scripts(name, index))
  }
  const file = join(directory, 'environment.yaml')
  await writeFile(file, `kk: {charts: [charts]}\n${NAMES.map((name) => `${name}: {}\n`).join('')}`)
  return file
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), {recursive: true})
  await writeFile(file, text)
}

function manifest(name: string): string {
  return `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`
}

function define(index: number): string {
  const comment = lines(20, () => 'What the snippet makes of values, as the library documents it.')
  return `{{/*\n${comment}*/}}\n{{- define "helm-toolkit.part${index}" -}}{{ .Values.conf | toYaml }}{{- end -}}\n`
}

function values(name: string): string {
  const sections = name === 'nova' || name === 'neutron' ? 80 : 40
  const options = lines(15, (each) => `      option_${each}: "value ${each}"`)
  const limits =
    '      requests: {memory: 128Mi, cpu: 100m}\n      limits:\n        memory: 1024Mi\n        cpu: 2000m'
  const account = (user: string) => `      ${user}:\n        username: ${user}\n        password: password\n`
  const endpoints = ENDPOINTS.map(
    (each) =>
      `  ${each}:\n    namespace: null\n    auth:\n${account('admin')}${account(name)}    hosts: {default: ${each.replaceAll('_', '-')}}\n    port:\n      api: {default: 80, internal: 5000}\n`,
  )
  return `---
manifests: {deployment: true, secret: false}
conf:
${lines(sections, (each) => `  section_${each}:\n    DEFAULT:\n${options}`)}
pod:
  resources:
${lines(40, (each) => `    part_${each}:\n${limits}`)}
endpoints:
${endpoints.join('')}...
`
}

function scripts(name: string, index: number): string {
  const steps = lines(60, (each) => `    echo "step ${each} of {{ .Release.Name }}" && sleep 1`)
  return `{{- if .Values.manifests.secret }}
apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}-${index}}
data:
  user: {{ .Values.endpoints.oslo_db.auth.${name}.password }}
  start.sh: |
${steps}{{- end }}
`
}

function deployment(name: string): string {
  const index = NAMES.indexOf(name)
  const waits = index < 3 ? [] : ['mariadb', ...(index === 3 ? [] : ['rabbitmq', 'keystone'])]
  const services = waits.map((each) => `openstack:${each}`).join(',')
  return `apiVersion: v1
kind: Service
metadata: {name: ${name}}
spec: {selector: {application: ${name}}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  selector: {matchLabels: {application: ${name}}}
  template:
    metadata: {labels: {application: ${name}}}
    spec:
      initContainers:
        - {name: init, image: registry.example.org/init:1, env: [{name: DEPENDENCY_SERVICE, value: "${services}"}]}
      containers: [{name: main, image: "registry.example.org/${name}:1"}]
`
}

function lines(count: number, line: (index: number) => string): string {
  return Array.from({length: count}, (_, index) => `${line(index)}\n`).join('')
}
