import {mkdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, describe, expect, inject, it} from 'vitest'
import {HELMS} from '../support/helms.ts'
import {atNight} from '../support/night.ts'
import {restrictedAccount} from './support/account.ts'
import {get, kubectl, makeNamespace} from './support/cluster.ts'
import {makeEnvironment, type TestEnvironment} from './support/environment.ts'
import {plainHelm} from './support/plain-helm.ts'
import {revisions} from './support/records.ts'

/** A Job of each revision: its template cannot be changed. */
const MIGRATION = `
apiVersion: batch/v1
kind: Job
metadata: {name: "migration-{{ .Release.Revision }}"}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: "registry.example.org/migration:{{ .Values.tag | default 1 }}"}]
`

/** A password that is made once, and looked up afterwards. */
const PASSWORD = `
{{- $old := lookup "v1" "Secret" .Release.Namespace .Release.Name }}
apiVersion: v1
kind: Secret
metadata: {name: {{ .Release.Name }}}
data:
  password: {{ if $old }}{{ $old.data.password }}{{ else }}{{ randAlphaNum 16 | b64enc }}{{ end }}
`

const SETTINGS = `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {size: "{{ .Values.size | default 1 }}"}
`

const definition = (kind: string) => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${kind}s.lookup.example.org}
spec:
  group: lookup.example.org
  scope: Namespaced
  names: {kind: ${kind}, plural: ${kind}s, singular: ${kind}}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`

/** Renders only where the kind is, and a lookup of it is an error where it is not. */
const looksUp = (kind: string) => `
{{- if not (lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" "${kind}s.lookup.example.org") }}
{{- fail "${kind} is not there" }}
{{- end }}
apiVersion: v1
kind: ConfigMap
metadata: {name: found}
data: {things: "{{ len (lookup "lookup.example.org/v1" "${kind}" .Release.Namespace "").items }}"}
`

const counts = (kind: string) => `
apiVersion: v1
kind: ConfigMap
metadata: {name: counted}
data: {things: "{{ len (dig "items" list (lookup "lookup.example.org/v1" "${kind}" .Release.Namespace "")) }}"}
`

/** Whoever may look into no more than a namespace may not list nodes. */
const NODES = `
apiVersion: v1
kind: ConfigMap
metadata: {name: nodes}
data: {found: "{{ if lookup "v1" "Node" "" "" }}yes{{ else }}no{{ end }}"}
`

describe.each(HELMS)('with %s, a chart', (helm) => {
  const [old, fresh] = [`old${helm}`, `new${helm}`]
  let environment: TestEnvironment
  let charts: string
  beforeAll(async () => {
    await kubectl(['create', 'namespace', 'kk-system']).catch(() => undefined)
    environment = await makeEnvironment({helm})
    charts = join(environment.directory, 'charts')
    await writeChart(charts, 'migration', MIGRATION)
    await writeChart(charts, 'password', PASSWORD)
    await writeChart(charts, 'settings', SETTINGS)
    await writeChart(charts, 'finder', looksUp(old))
    await writeChart(charts, 'operator', definition(fresh))
    await writeChart(charts, 'counter', counts(fresh))
    await writeChart(charts, 'nodes', NODES)
  })
  const content = (sections: object, kk: object = {}) => ({kk: {charts: [charts], ...kk}, ...sections})

  atNight(() => {
    it('with the revision in the name of a Job is upgraded; a plan shows the next Job, and doctor finds nothing', async () => {
      await environment.write(content({migration: {}, settings: {}, password: {}}))
      await environment.deploy()
      await environment.write(content({migration: {tag: 2}, settings: {size: 2}, password: {}}))

      const examined = await environment.kk('check', '--kubeconfig', inject('run').kubeconfig)
      const {stdout} = await environment.kk('plan', '--diff')
      await environment.deploy()

      expect([examined.exitCode, examined.stdout.trim().split('\n').at(-1)]).toEqual([
        0,
        'no problem in what was checked',
      ])
      expect(stdout).toMatch(/^\+\+\+ batch\/v1 Job \S+\/migration-2$/m)
      expect(await revisions(environment.name)).toMatchObject({migration: 2, settings: 2})
      expect(await jobs(environment.name)).toEqual(['migration-2'])
      const onCluster = (await environment.helmCalls()).filter((call) => call.includes('--dry-run=server'))
      expect(onCluster.filter((call) => call.includes(' settings '))).toEqual([])
    })
  })

  atNight(() => {
    it('that keeps its password by lookup, or has the revision in a name, is adopted unchanged and not upgraded again', async () => {
      const namespace = await makeNamespace('lookup')
      const install = async (verb: string, chart: string) => {
        const words = [verb, chart, join(charts, chart), '--namespace', namespace]
        const {exitCode, stderr} = await plainHelm(words, {version: helm})
        expect(exitCode, stderr).toBe(0)
      }
      await install('install', 'password')
      await install('install', 'migration')
      await install('upgrade', 'migration')
      await environment.write(content({password: {}, migration: {}}, {name: namespace, namespace}))

      const adopted = await environment.kk('adopt', 'password', 'migration', '--yes')
      await environment.deploy()
      const {stdout} = await environment.kk('plan', '--diff')

      expect(adopted.exitCode, adopted.stderr).toBe(0)
      const said = adopted.stdout + adopted.stderr
      expect(said).toMatch(/\/password {2}revision 1, deployed {2}as the environment wants it/)
      expect(said).toMatch(/\/migration {2}revision 2, deployed {2}as the environment wants it/)
      expect(await revisions(namespace)).toEqual({password: 1, migration: 2})
      expect(stdout).toContain('2 unchanged')
    })
  })

  it('that fails without an object in the cluster is deployed once the object exists', async () => {
    await environment.write(content({finder: {}}, {infer: false}))
    const missing = await environment.kk('deploy')
    await kubectl(['apply', '--filename', '-'], {input: definition(old)})
    await kubectl(['wait', '--for=condition=Established', 'crd', `${old}s.lookup.example.org`])

    await environment.deploy()

    expect(missing.stderr).toContain(`KK_RENDER`)
    expect(missing.stderr).toContain(`${old} is not there`)
    expect(await revisions(environment.name)).toMatchObject({finder: 1})
  })

  atNight(() => {
    it('that looks up objects that the user may not read is planned as if they did not exist', async () => {
      const namespace = await makeNamespace('lookup')
      const sees = ['kube-system', namespace]
      const kubeconfig = await restrictedAccount({adminOf: [namespace, 'kk-system'], sees})
      await environment.write(content({nodes: {}}, {name: namespace, namespace}))

      const seen = await environment.kk('plan', '--diff')
      const unseen = await environment.kk('plan', '--diff', '--kubeconfig', kubeconfig)

      expect(seen.stdout).toMatch(/^\+ +found: ["']?yes/m)
      expect(unseen.stdout, unseen.stderr).toMatch(/^\+ +found: ["']?no/m)
    })

    it('that looks up objects of another release in the plan is deployed after that release', async () => {
      await environment.write(
        content({operator: {}, counter: {}}, {releases: {counter: {requires: ['operator']}}}),
      )

      await environment.deploy()

      expect(await revisions(environment.name)).toMatchObject({operator: 1, counter: 1})
    })
  })
})

async function jobs(namespace: string): Promise<readonly string[]> {
  type List = {readonly items: readonly {readonly metadata: {readonly name: string}}[]}
  const {items} = await get<List>('jobs', '--namespace', namespace)
  return items.map(({metadata}) => metadata.name)
}

/** A chart with one template. */
async function writeChart(charts: string, name: string, template: string): Promise<void> {
  await mkdir(join(charts, name, 'templates'), {recursive: true})
  await writeFile(join(charts, name, 'Chart.yaml'), `apiVersion: v2\nname: ${name}\nversion: 0.1.0\n`)
  await writeFile(join(charts, name, 'templates/all.yaml'), template)
}
