import {mkdir, readdir, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, describe, expect, it} from 'vitest'
import {waitFor} from './support/cluster.ts'
import {makeEnvironment, type TestEnvironment, workloads} from './support/environment.ts'
import {done, type OwnCluster, startOwnCluster} from './support/guarded.ts'

/** The kind of Flux without its controllers: HelmReleases are what an export, and a person, says of them. */
const HELM_RELEASES = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {name: 'helmreleases.helm.toolkit.fluxcd.io'},
  spec: {
    group: 'helm.toolkit.fluxcd.io',
    scope: 'Namespaced',
    names: {kind: 'HelmRelease', plural: 'helmreleases', singular: 'helmrelease'},
    versions: [
      {
        name: 'v2',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {type: 'object', 'x-kubernetes-preserve-unknown-fields': true},
        },
      },
    ],
  },
}

interface HelmRelease {
  readonly metadata: {readonly name: string}
  readonly spec: {readonly releaseName: string; readonly targetNamespace: string}
}

let cluster: OwnCluster
beforeAll(async () => {
  cluster = await startOwnCluster()
  await done(cluster.kubectl('create', 'namespace', 'flux-system'))
  await done(cluster.create(HELM_RELEASES))
  const served = async () => (await cluster.kubectl('get', 'helmreleases', '--all-namespaces')).exitCode === 0
  await waitFor(served, {until: 'the kind is served'})
  return cluster.end
})

const CLOUD = workloads({db: {}, api: {requires: ['db']}})

function exporting(environment: TestEnvironment, out: string, ...more: readonly string[]) {
  return environment.kk(
    'export',
    ...['--format', 'flux', '--charts', 'oci://registry.example.org/kk'],
    ...['--output-dir', join(environment.directory, out), ...more],
  )
}

/** Exports with the cluster named, and applies the HelmReleases. */
async function applied(environment: TestEnvironment): Promise<void> {
  const {exitCode, stderr} = await exporting(environment, 'out', '--sandbox-name', cluster.sandbox)
  expect(exitCode, stderr).toBe(0)
  const files = join(environment.directory, 'out/releases')
  await done(cluster.kubectl('apply', '--server-side', '--filename', files))
}

/** The releases of the HelmReleases that belong to an environment. */
async function targets({name}: TestEnvironment): Promise<readonly string[]> {
  const words = ['get', 'helmreleases', '--namespace', 'flux-system', '--output', 'json']
  const labelled = ['--selector', `kk.openstack.org/environment=${name}`]
  const {items} = JSON.parse(await done(cluster.kubectl(...words, ...labelled))) as {
    items: readonly HelmRelease[]
  }
  return items.map(({spec}) => `${spec.targetNamespace}/${spec.releaseName}`)
}

describe('two environments that are exported for Flux', () => {
  let one: TestEnvironment
  let other: TestEnvironment
  beforeAll(async () => {
    one = await makeEnvironment({content: CLOUD})
    other = await makeEnvironment({content: CLOUD})
    await applied(one)
    await applied(other)
  })

  it("do not touch each other's HelmReleases", async () => {
    for (const each of [one, other])
      expect(await targets(each)).toEqual([`${each.name}/api`, `${each.name}/db`])
  })

  it('are exported again without a warning', async () => {
    const {exitCode, stderr} = await exporting(one, 'out', '--sandbox-name', cluster.sandbox)

    expect(exitCode, stderr).toBe(0)
  })

  it('are refused in another namespace, on the cluster and over the earlier files', async () => {
    const {kk, ...sections} = CLOUD
    await one.write({kk: {...kk, namespace: 'moved'}, ...sections})

    const named = await exporting(one, 'elsewhere', '--sandbox-name', cluster.sandbox)
    const unnamed = await exporting(one, 'out')
    await one.write(CLOUD)

    for (const {exitCode, stderr} of [named, unnamed]) {
      expect(exitCode).toBe(3)
      expect(stderr).toContain(
        `HelmRelease flux-system/${one.name}.db installs ${one.name}/db, and moved/db in this export: Flux would uninstall ${one.name}/db`,
      )
    }
    expect(named.stderr).toContain(
      `KK_EXPORT: this export does not fit what is in sandbox-${cluster.sandbox}`,
    )
    await expect(readdir(join(one.directory, 'elsewhere'))).rejects.toThrow('ENOENT')
  })
})

it('an export of an older kk keeps its names, in its directory and on its cluster, with a note', async () => {
  const environment = await makeEnvironment({content: CLOUD})
  const {name, directory} = environment
  const old = (release: string) => ({
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    metadata: {name: `${name}-${release}`, namespace: 'flux-system'},
    spec: {releaseName: release, targetNamespace: name, storageNamespace: name},
  })
  await mkdir(join(directory, 'old/releases'), {recursive: true})
  await writeFile(join(directory, 'old/.kk-export'), 'releases/db.yaml\n')
  await writeFile(join(directory, 'old/releases/db.yaml'), JSON.stringify(old('db')))
  const namesIn = async (out: string) => {
    const text = await readFile(join(directory, out, 'releases/db.yaml'), 'utf8')
    return /name: (\S+[-.]db)$/m.exec(text)?.[1]
  }

  const fresh = await exporting(environment, 'fresh')
  const again = await exporting(environment, 'old')
  await done(cluster.create(old('db')))
  const named = await exporting(environment, 'named', '--sandbox-name', cluster.sandbox)

  expect([fresh.exitCode, again.exitCode, named.exitCode]).toEqual([0, 0, 0])
  expect(fresh.stderr).toContain(`the names of objects begin with "${name}."`)
  expect(await namesIn('fresh')).toBe(`${name}.db`)
  for (const {stderr} of [again, named])
    expect(stderr).toContain(`stay those of the earlier export, such as ${name}-db`)
  expect(await namesIn('old')).toBe(`${name}-db`)
  expect(await namesIn('named')).toBe(`${name}-db`)
})

it('an export with other names is refused until the earlier HelmReleases are suspended', async () => {
  const environment = await makeEnvironment({content: CLOUD})
  const {name} = environment
  const before = {
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    metadata: {name: 'db', namespace: 'flux-system'},
    spec: {releaseName: 'db', targetNamespace: name, storageNamespace: name},
  }
  await done(cluster.create(before))

  const refused = await exporting(environment, 'out', '--sandbox-name', cluster.sandbox)
  const patch = ['--type', 'merge', '--patch', '{"spec":{"suspend":true}}']
  await done(cluster.kubectl('patch', 'helmrelease', 'db', '--namespace', 'flux-system', ...patch))
  const taken = await exporting(environment, 'out', '--sandbox-name', cluster.sandbox)

  expect(refused.exitCode).toBe(3)
  expect(refused.stderr).toContain(
    `HelmRelease flux-system/db installs ${name}/db, as flux-system/${name}.db of this export does`,
  )
  expect(refused.stderr).toContain('hint: suspend each of these HelmReleases')
  expect(taken.exitCode, taken.stderr).toBe(0)
})

/** A chart whose labels its values say, as Flux adds its own to those of any chart. */
const CHART = {
  'Chart.yaml': 'apiVersion: v2\nname: app\nversion: 1.0.0\n',
  'values.yaml': 'text: one\nlabels: {}\n',
  'templates/config.yaml': [
    ...['apiVersion: v1', 'kind: ConfigMap', 'metadata:', '  name: app'],
    '  labels: {{ .Values.labels | toJson }}',
    'data: {text: {{ .Values.text | quote }}}',
    '',
  ].join('\n'),
}

interface ConfigMap {
  readonly data: Readonly<Record<string, string>>
  readonly metadata: {
    readonly labels?: Readonly<Record<string, string>>
    readonly managedFields: readonly {readonly manager: string}[]
  }
}

describe('a release that Flux created', () => {
  let environment: TestEnvironment
  const onCluster = (verb: string, ...args: readonly string[]) =>
    environment.kk(verb, ...args, '--sandbox-name', cluster.sandbox)
  const configMap = async () =>
    JSON.parse(
      await done(
        cluster.kubectl(
          ...['get', 'configmap', 'app', '--namespace', environment.name, '--output', 'json'],
          '--show-managed-fields',
        ),
      ),
    ) as ConfigMap
  beforeAll(async () => {
    environment = await makeEnvironment({content: {kk: {charts: ['charts']}, app: {text: 'two'}}})
    const {name, directory} = environment
    const chart = join(directory, 'charts/app')
    await mkdir(join(chart, 'templates'), {recursive: true})
    for (const [path, text] of Object.entries(CHART)) await writeFile(join(chart, path), text)
    const labels = {'helm.toolkit.fluxcd.io/name': 'web', 'helm.toolkit.fluxcd.io/namespace': 'flux-system'}
    await done(
      cluster.helm(
        ...(['helm4', 'install', 'app', chart, '--namespace', name, '--create-namespace'] as const),
        ...['--set-json', `labels=${JSON.stringify(labels)}`],
      ),
    )
    const manager = [{op: 'replace', path: '/metadata/managedFields/0/manager', value: 'helm-controller'}]
    await done(
      cluster.kubectl(
        ...['patch', 'configmap', 'app', '--namespace', name, '--type', 'json'],
        ...['--patch', JSON.stringify(manager)],
      ),
    )
    const spec = {releaseName: 'app', targetNamespace: name, storageNamespace: name}
    const metadata = {name: 'web', namespace: 'flux-system'}
    const apiVersion = 'helm.toolkit.fluxcd.io/v2'
    await done(cluster.create({apiVersion, kind: 'HelmRelease', metadata, spec}))
  })

  it('is shown with its HelmRelease by plan and status, and is adopted only after that is suspended', async () => {
    const plan = await onCluster('plan')
    const status = await onCluster('status')
    const adopt = await onCluster('adopt', 'app', '--yes')

    const {name} = environment
    expect(plan.stdout).toContain(
      `HelmRelease flux-system/web drives ${name}/app: kk adopt is refused until it is suspended`,
    )
    expect(status.stdout).toContain('app: kk did not install it: HelmRelease flux-system/web made revision 1')
    expect(adopt.exitCode).toBe(3)
    expect(adopt.stderr).toContain(
      `KK_HANDED_OVER: HelmRelease flux-system/web drives ${name}/app, and would undo what kk changes`,
    )
    expect(adopt.stderr).toContain('flux suspend helmrelease web -n flux-system')
  })

  it('is adopted without a conflict, and keeps no label or field of Flux', async () => {
    const patch = ['--type', 'merge', '--patch', '{"spec":{"suspend":true}}']
    await done(cluster.kubectl('patch', 'helmrelease', 'web', '--namespace', 'flux-system', ...patch))

    const adopted = await onCluster('adopt', 'app', '--yes')
    const before = await configMap()
    const deployed = await onCluster('deploy', '--yes')

    expect(adopted.exitCode, adopted.stderr).toBe(0)
    expect(adopted.stderr).toContain('but is suspended: delete it before it is resumed')
    expect(before.data).toEqual({text: 'one'})
    expect(before.metadata.managedFields.map(({manager}) => manager)).toEqual(['helm'])
    expect(deployed.exitCode, deployed.stderr).toBe(0)
    const {data, metadata} = await configMap()
    expect(data).toEqual({text: 'two'})
    expect(Object.keys(metadata.labels ?? {})).toEqual(['app.kubernetes.io/managed-by'])
  })
})
