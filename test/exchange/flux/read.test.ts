import {describe, expect, it} from 'vitest'
import type {Values} from '../../../src/base/values.ts'
import {importFlux} from '../../../src/exchange/flux/read.ts'
import {readYamlDocuments} from '../../../src/yaml/yaml.ts'

const SOURCES = `
apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata: {name: stable, namespace: flux-system}
spec: {interval: 1h, url: https://charts.example.org/stable}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata: {name: keystone, namespace: flux-system}
spec: {interval: 1h, url: oci://registry.example.org/charts/keystone, ref: {tag: 1.2.3_up4}}
`

const MARIADB = `
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: mariadb, namespace: flux-system}
spec:
  interval: 10m
  releaseName: mariadb
  targetNamespace: openstack
  storageNamespace: openstack
  timeout: 1h30m
  chart: {spec: {chart: mariadb, version: 1.x, sourceRef: {kind: HelmRepository, name: stable}}}
`

function keystone(spec: object = {}): string {
  return JSON.stringify({
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    metadata: {name: 'keystone', namespace: 'flux-system'},
    spec: {
      interval: '10m',
      releaseName: 'keystone',
      targetNamespace: 'openstack',
      storageNamespace: 'openstack',
      chartRef: {kind: 'OCIRepository', name: 'keystone'},
      ...spec,
    },
  })
}

interface More {
  readonly file?: string
  readonly showSecrets?: boolean
}

function imported(texts: readonly string[], {file = 'releases.yaml', showSecrets = false}: More = {}) {
  const documents = texts
    .flatMap((text) => readYamlDocuments(text))
    .map((value) => ({file, value: value as Values}))
  return importFlux({path: 'clusters', documents, name: 'cloud', showSecrets})
}

const INTERVAL = 'interval: kk reconciles on command, or continuously with its operator'

describe('importing Flux HelmReleases', () => {
  it('reads charts, requirements and timeouts', () => {
    const {releases, charts, lost} = imported([
      SOURCES,
      MARIADB,
      keystone({dependsOn: [{name: 'mariadb'}], values: {pod: {replicas: {api: 2}}}}),
    ])

    expect(releases).toEqual([
      {
        name: 'mariadb',
        namespace: 'openstack',
        chart: {name: 'mariadb', version: '1.x'},
        values: {},
        requires: [],
        timeout: '5400s',
        notes: [],
      },
      {
        name: 'keystone',
        namespace: 'openstack',
        chart: {name: 'keystone', version: '1.2.3+up4'},
        values: {pod: {replicas: {api: 2}}},
        requires: ['mariadb'],
        notes: [],
      },
    ])
    expect(charts).toEqual([
      {repository: 'https://charts.example.org/stable'},
      {oci: 'oci://registry.example.org/charts'},
    ])
    expect(lost).toEqual([INTERVAL])
  })

  it('merges the values of ConfigMaps and Secrets in order, below their own', () => {
    const holders = [
      {
        kind: 'ConfigMap',
        metadata: {name: 'one', namespace: 'flux-system'},
        data: {'values.yaml': 'a: 1\nb: 1\nc: 1\n'},
      },
      {
        kind: 'Secret',
        metadata: {name: 'two', namespace: 'flux-system'},
        data: {'more.yaml': Buffer.from('b: 2\nc: 2\nauth: {password: geheim}\n').toString('base64')},
      },
    ].map((each) => JSON.stringify({apiVersion: 'v1', ...each}))
    const release = keystone({
      valuesFrom: [
        {kind: 'ConfigMap', name: 'one'},
        {kind: 'Secret', name: 'two', valuesKey: 'more.yaml'},
        {kind: 'Secret', name: 'gone', optional: true},
      ],
      values: {c: 3},
    })

    const hidden = imported([SOURCES, release, ...holders])
    const shown = imported([SOURCES, release, ...holders], {showSecrets: true})

    expect(shown.releases[0]!.values).toEqual({a: 1, b: 2, c: 3, auth: {password: 'geheim'}})
    expect(shown.lost).toEqual([INTERVAL])
    expect(hidden.releases[0]!.values).toEqual({a: 1, b: 1, c: 3})
    expect(hidden.lost).toContain('the values of keystone from the Secret two: --show-secrets writes them')
  })

  it.each([
    [{name: 'gone'}, 'it is not among the files'],
    [{name: 'sealed'}, 'it is encrypted with SOPS: decrypt it first'],
    [
      {name: 'sealed', targetPath: 'auth.password'},
      'set auth.password to the value of values.yaml by hand: kk import does not support targetPath',
    ],
  ])('lists that values of the Secret %j are not imported', (reference, why) => {
    const sealed = {
      kind: 'Secret',
      metadata: {name: 'sealed', namespace: 'flux-system'},
      sops: {},
      stringData: {},
    }

    const {lost} = imported(
      [SOURCES, keystone({valuesFrom: [{kind: 'Secret', ...reference}]}), JSON.stringify(sealed)],
      {showSecrets: true},
    )

    expect(lost).toContain(`the values of keystone from the Secret ${reference.name}: ${why}`)
  })

  it('loses nothing through defaults of the API server', () => {
    const live = keystone({
      maxHistory: 10,
      chartRef: null,
      chart: {
        spec: {
          ...{chart: 'keystone', version: '1.0.0', interval: '1m', reconcileStrategy: 'ChartVersion'},
          sourceRef: {kind: 'HelmRepository', name: 'stable'},
        },
      },
    })
    const source = JSON.stringify({
      apiVersion: 'source.toolkit.fluxcd.io/v1',
      kind: 'HelmRepository',
      metadata: {name: 'stable', namespace: 'flux-system'},
      spec: {interval: '10m', provider: 'generic', url: 'https://charts.example.org/stable'},
    })

    expect(imported([source, live]).lost).toEqual([INTERVAL])
  })

  it.each([
    [{postRenderers: [{kustomize: {}}]}, 'postRenderers of keystone: an environment cannot express it'],
    [{kubeConfig: {secretRef: {name: 'x'}}}, 'kubeConfig of keystone: an environment cannot express it'],
    [{healthCheckExprs: [{kind: 'X'}]}, 'healthCheckExprs of keystone: an environment cannot express it'],
    [{maxHistory: 3}, 'maxHistory of keystone: an environment cannot express it'],
    [{brandNew: 1}, 'brandNew of keystone: an environment cannot express it'],
    [{install: {skipCRDs: true}}, 'skipCRDs of keystone.install: an environment cannot express it'],
    [
      {upgrade: {remediation: {retries: 3}}},
      'retries of keystone.upgrade.remediation: kk deploy --on-failure sets how a failed release is handled',
    ],
    [
      {dependsOn: [{name: 'keystone', readyExpr: 'x'}]},
      "readyExpr in dependsOn of keystone: kk's gate decides readiness",
    ],
    [{timeout: 300}, 'timeout of keystone: expected a string, got 300; put it in quotes'],
    [
      {
        chartRef: undefined,
        chart: {spec: {chart: 'keystone', version: 1.1, sourceRef: {kind: 'HelmRepository', name: 'stable'}}},
      },
      'version of the chart of keystone: expected a string, got 1.1; put it in quotes',
    ],
    [{dependsOn: [{name: 'vault'}]}, 'the need of keystone for vault, which clusters does not have'],
    [{chartRef: {kind: 'OCIRepository', name: 'gone'}}, 'the source of the chart gone of keystone'],
  ])('with %j lists what is lost', (spec, sentence) => {
    expect(imported([SOURCES, keystone(spec)]).lost).toContain(sentence)
  })

  it('lists a tag that YAML parses as a number', () => {
    const {lost} = imported([SOURCES.replace('1.2.3_up4', '1.10'), keystone()])

    expect(lost).toContain('tag of the OCIRepository keystone: expected a string, got 1.1; put it in quotes')
  })

  it('lists further settings of sources, and never a password', () => {
    const sources = SOURCES.replace('https://charts', 'https://me:geheim@charts').replace(
      'spec: {interval: 1h, url: oci',
      'spec: {secretRef: {name: x}, interval: 1h, url: oci',
    )
    const mariadb = MARIADB.replace('version: 1.x', 'version: 1.x, valuesFiles: [a.yaml]')

    const {charts, lost} = imported([sources, mariadb, keystone()])

    expect(charts).toContainEqual({repository: 'https://charts.example.org/stable'})
    expect(lost).toEqual([
      'valuesFiles of the chart of mariadb: an environment cannot express it',
      INTERVAL,
      expect.stringMatching(/^the credentials in the URL of the HelmRepository stable: /),
      'secretRef of the OCIRepository keystone: an environment cannot express it',
    ])
  })

  it('loses nothing through features that kk has in its own way', () => {
    const change = {createNamespace: true, disableWait: true, remediation: {retries: 0}}

    expect(imported([SOURCES, keystone({install: change, upgrade: change})]).lost).toEqual([INTERVAL])
  })

  it('derives a missing release name as Flux does', () => {
    const [release] = imported([SOURCES, keystone({releaseName: undefined})]).releases

    expect(release!.name).toBe('openstack-keystone')
  })

  it('shortens a long release name as Flux does', () => {
    const target = 'o'.repeat(50)

    const [release] = imported([
      SOURCES,
      keystone({releaseName: undefined, targetNamespace: target, storageNamespace: target}),
    ]).releases

    expect(release!.name).toMatch(/^o{40}-[0-9a-f]{12}$/)
  })

  it('rejects all HelmReleases whose Helm record is in another namespace', () => {
    expect(() => imported([SOURCES, keystone({storageNamespace: undefined})])).toThrow(
      expect.objectContaining({
        code: 'KK_IMPORT',
        exit: 2,
        message: expect.stringContaining('keystone: flux-system, but the release is in openstack'),
      }),
    )
  })

  it('fails without a HelmRelease', () => {
    expect(() => imported([SOURCES])).toThrow(
      expect.objectContaining({code: 'KK_IMPORT', message: 'clusters has no HelmRelease'}),
    )
  })
})

describe('importing Flux Kustomizations', () => {
  const kustomization = (name: string, spec: object) => ({
    file: 'kustomizations.yaml',
    value: {
      apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
      kind: 'Kustomization',
      metadata: {name, namespace: 'flux-system'},
      spec: {interval: '10m', prune: true, path: `./${name}`, ...spec},
    },
  })

  it('makes their releases require all releases of the Kustomizations they depend on', () => {
    const at = (file: string, text: string) => ({file, value: readYamlDocuments(text)[0] as Values})
    const documents = [
      kustomization('infra', {}),
      kustomization('apps', {dependsOn: [{name: 'infra'}], postBuild: {substitute: {a: 'b'}}}),
      at('infra/mariadb.yaml', MARIADB),
      at('apps/keystone.yaml', keystone()),
    ]

    const {releases, lost} = importFlux({path: 'clusters', documents, name: 'cloud', showSecrets: false})

    expect(releases.map(({name, requires}) => [name, requires])).toEqual([
      ['mariadb', []],
      ['keystone', ['mariadb']],
    ])
    expect(lost).toContain('postBuild of the Kustomization apps: an environment cannot express it')
  })
})
