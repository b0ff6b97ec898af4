import {readdir} from 'node:fs/promises'
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

  it('leave each other their HelmReleases', async () => {
    for (const each of [one, other])
      expect(await targets(each)).toEqual([`${each.name}/api`, `${each.name}/db`])
  })

  it('are exported again without a word', async () => {
    const {exitCode, stderr} = await exporting(one, 'out', '--sandbox-name', cluster.sandbox)

    expect(exitCode, stderr).toBe(0)
  })

  it('are refused in another namespace, on the cluster and over the files of before', async () => {
    const {kk, ...sections} = CLOUD
    await one.write({kk: {...kk, namespace: 'moved'}, ...sections})

    const named = await exporting(one, 'elsewhere', '--sandbox-name', cluster.sandbox)
    const unnamed = await exporting(one, 'out')
    await one.write(CLOUD)

    for (const {exitCode, stderr} of [named, unnamed]) {
      expect(exitCode).toBe(3)
      expect(stderr).toContain(
        `HelmRelease flux-system/${one.name}-db installs ${one.name}/db, and moved/db in this export: Flux would uninstall ${one.name}/db`,
      )
    }
    expect(named.stderr).toContain(
      `KK_EXPORT: this export does not fit what is in sandbox-${cluster.sandbox}`,
    )
    await expect(readdir(join(one.directory, 'elsewhere'))).rejects.toThrow('ENOENT')
  })
})

it('what is exported under other names is refused until the HelmReleases of before are suspended', async () => {
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
    `HelmRelease flux-system/db installs ${name}/db, as flux-system/${name}-db of this export does`,
  )
  expect(refused.stderr).toContain('hint: suspend each of these HelmReleases')
  expect(taken.exitCode, taken.stderr).toBe(0)
})
