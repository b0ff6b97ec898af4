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

const INTERVAL = 'interval: kk changes something when it is told to, or with its operator'

describe('HelmReleases', () => {
  it('become releases with their charts, order and time', () => {
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

  it('have the values of ConfigMaps and Secrets below their own, in order', () => {
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
    [{name: 'sealed'}, 'SOPS has encrypted it: decrypt it first'],
    [
      {name: 'sealed', targetPath: 'auth.password'},
      'write the value of values.yaml at auth.password by hand, for kk import does not put values there',
    ],
  ])('say that the values of the Secret %j are not carried over', (reference, why) => {
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

  it('lose nothing by what the API server fills in', () => {
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
    [{postRenderers: [{kustomize: {}}]}, 'postRenderers of keystone: an environment has no place for it'],
    [{kubeConfig: {secretRef: {name: 'x'}}}, 'kubeConfig of keystone: an environment has no place for it'],
    [{healthCheckExprs: [{kind: 'X'}]}, 'healthCheckExprs of keystone: an environment has no place for it'],
    [{maxHistory: 3}, 'maxHistory of keystone: an environment has no place for it'],
    [{brandNew: 1}, 'brandNew of keystone: an environment has no place for it'],
    [{install: {skipCRDs: true}}, 'skipCRDs of keystone.install: an environment has no place for it'],
    [
      {upgrade: {remediation: {retries: 3}}},
      'retries of keystone.upgrade.remediation: kk deploy --on-failure says what becomes of a release that fails',
    ],
    [
      {dependsOn: [{name: 'keystone', readyExpr: 'x'}]},
      "readyExpr in dependsOn of keystone: kk's gate says what is ready",
    ],
    [{timeout: 300}, 'timeout of keystone: expected a text, got 300; put it in quotes'],
    [
      {
        chartRef: undefined,
        chart: {spec: {chart: 'keystone', version: 1.1, sourceRef: {kind: 'HelmRepository', name: 'stable'}}},
      },
      'version of the chart of keystone: expected a text, got 1.1; put it in quotes',
    ],
    [{dependsOn: [{name: 'vault'}]}, 'the need of keystone for vault, which clusters does not have'],
    [{chartRef: {kind: 'OCIRepository', name: 'gone'}}, 'where the chart gone of keystone comes from'],
  ])('with %j name what is lost', (spec, sentence) => {
    expect(imported([SOURCES, keystone(spec)]).lost).toContain(sentence)
  })

  it('whose tag YAML reads as a number name it', () => {
    const {lost} = imported([SOURCES.replace('1.2.3_up4', '1.10'), keystone()])

    expect(lost).toContain('tag of the OCIRepository keystone: expected a text, got 1.1; put it in quotes')
  })

  it('whose sources have more to them name that, and never a password', () => {
    const sources = SOURCES.replace('https://charts', 'https://me:geheim@charts').replace(
      'spec: {interval: 1h, url: oci',
      'spec: {secretRef: {name: x}, interval: 1h, url: oci',
    )
    const mariadb = MARIADB.replace('version: 1.x', 'version: 1.x, valuesFiles: [a.yaml]')

    const {charts, lost} = imported([sources, mariadb, keystone()])

    expect(charts).toContainEqual({repository: 'https://charts.example.org/stable'})
    expect(lost).toEqual([
      'valuesFiles of the chart of mariadb: an environment has no place for it',
      INTERVAL,
      expect.stringMatching(/^the credentials in the address of the HelmRepository stable: /),
      'secretRef of the OCIRepository keystone: an environment has no place for it',
    ])
  })

  it('with what kk does in a way of its own lose nothing by it', () => {
    const change = {createNamespace: true, disableWait: true, remediation: {retries: 0}}

    expect(imported([SOURCES, keystone({install: change, upgrade: change})]).lost).toEqual([INTERVAL])
  })

  it('without a name have the one that Flux gives them', () => {
    const [release] = imported([SOURCES, keystone({releaseName: undefined})]).releases

    expect(release!.name).toBe('openstack-keystone')
  })

  it('with a name that is too long have the one that Flux makes of it', () => {
    const target = 'o'.repeat(50)

    const [release] = imported([
      SOURCES,
      keystone({releaseName: undefined, targetNamespace: target, storageNamespace: target}),
    ]).releases

    expect(release!.name).toMatch(/^o{40}-[0-9a-f]{12}$/)
  })

  it('whose record lies in another namespace are refused, all at once', () => {
    expect(() => imported([SOURCES, keystone({storageNamespace: undefined})])).toThrow(
      expect.objectContaining({
        code: 'KK_IMPORT',
        exit: 2,
        message: expect.stringContaining('keystone: flux-system, but it is installed in openstack'),
      }),
    )
  })

  it('that are missing are an error', () => {
    expect(() => imported([SOURCES])).toThrow(
      expect.objectContaining({code: 'KK_IMPORT', message: 'clusters has no HelmRelease'}),
    )
  })
})

describe('Kustomizations', () => {
  const kustomization = (name: string, spec: object) => ({
    file: 'kustomizations.yaml',
    value: {
      apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
      kind: 'Kustomization',
      metadata: {name, namespace: 'flux-system'},
      spec: {interval: '10m', prune: true, path: `./${name}`, ...spec},
    },
  })

  it('have all of one before all of the next', () => {
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
    expect(lost).toContain('postBuild of the Kustomization apps: an environment has no place for it')
  })
})
