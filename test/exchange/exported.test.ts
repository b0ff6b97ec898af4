import {describe, expect, it} from 'vitest'
import {workflowTemplate} from '../../src/exchange/argo-workflows/write.ts'
import {argocdApplications} from '../../src/exchange/argocd/write.ts'
import {armadaManifest} from '../../src/exchange/armada/write.ts'
import type {Exported} from '../../src/exchange/exported.ts'
import {fluxObjects} from '../../src/exchange/flux/write.ts'
import {helmScript} from '../../src/exchange/helm/script.ts'
import {helmfile} from '../../src/exchange/helmfile/write.ts'
import {FORMATS, type Format, lostText} from '../../src/exchange/lost.ts'
import {exportedWith} from './support/exported.ts'

const WRITERS = {
  helm: helmScript,
  helmfile,
  flux: fluxObjects,
  argocd: argocdApplications,
  'argo-workflows': workflowTemplate,
  armada: armadaManifest,
}

const OCI = {kind: 'oci', url: 'oci://registry.example.org/charts'} as const
const REPOSITORY = {kind: 'repository', url: 'https://charts.example.org/stable'} as const

/** An identity service as most have it: charts from a registry, secrets that kk keeps. */
const IDENTITY = exportedWith({
  mariadb: {
    chart: {name: 'mariadb', version: '1.2.3+up4', source: OCI, isLocked: true},
    secrets: ['auth.password'],
    protected: true,
    timeoutSeconds: 1200,
  },
  memcached: {chart: {name: 'memcached', version: '1.0.0', source: REPOSITORY, isLocked: false}},
  keystone: {
    chart: {name: 'keystone', version: '2.0.0', source: OCI, isLocked: false},
    values: {pod: {replicas: {api: 2}}, conf: {flag: 'yes', gone: null, at: '1:30'}},
    secrets: ['auth.password'],
    hooksAfter: true,
    frozen: true,
    requires: ['mariadb', 'memcached'],
  },
})

/** Releases that need each other, in two namespaces, and all that formats other than kk's lose. */
const COMPUTE = exportedWith(
  {
    nova: {requires: ['neutron:applied', 'shared/keystone', 'libvirt']},
    neutron: {requires: ['nova:applied'], secrets: ['transport_url'], values: {name: "it's"}},
    libvirt: {namespace: 'kube-system', hooksAfter: true},
    horizon: {requires: ['nova:soft', 'libvirt:applied']},
  },
  {
    name: 'compute',
    sops: true,
    unknownFacts: ['controllers', 'cpus'],
    readiness: ['Cluster.example.org'],
    directories: ['../charts', '../../../srv/charts'],
  },
)

/** Flux and Argo CD take charts from elsewhere alone. */
const PUBLISHED: readonly Format[] = ['flux', 'argocd']

function published(exported: Exported): Exported {
  const groups = exported.groups.map((group) =>
    group.map((each) => ({...each, chart: {source: OCI, ...each.chart}})),
  )
  return {...exported, groups}
}

function filesFor(format: Format, exported: Exported) {
  return WRITERS[format](PUBLISHED.includes(format) ? published(exported) : exported)
}

describe.each([
  ['identity', IDENTITY],
  ['compute', COMPUTE],
])('the export of %s', (name, exported) => {
  it.each(FORMATS)('for %s matches its golden files', async (format) => {
    const files = [...filesFor(format, exported), ['LOST.md', lostText(format, exported)] as const]

    const text = files.map(([path, content]) => `>>> ${path}\n${content}`).join('')
    await expect(text).toMatchFileSnapshot(`golden/${name}-${format}.golden`)
  })

  it('does not depend on the order of values', () => {
    const turned = {
      ...exported,
      groups: exported.groups.map((group) =>
        group.map((each) => ({...each, values: Object.fromEntries(Object.entries(each.values).reverse())})),
      ),
    }

    for (const format of FORMATS) expect(filesFor(format, turned)).toEqual(filesFor(format, exported))
  })
})

it('an export of a single release without requirements loses nothing with a format that runs kk', () => {
  expect(lostText('argo-workflows', exportedWith({memcached: {}}))).toContain('Nothing.')
})
