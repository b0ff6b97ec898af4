import {expect, it} from 'vitest'
import {isMap, type Values} from '../../src/base/values.ts'
import {workflowTemplate} from '../../src/exchange/argo-workflows/write.ts'
import {argocdApplications} from '../../src/exchange/argocd/write.ts'
import {armadaManifest} from '../../src/exchange/armada/write.ts'
import {driversAmong, expectSameDrivers} from '../../src/exchange/drivers.ts'
import {type Exported, type ExportedFiles, objectName} from '../../src/exchange/exported.ts'
import {importFlux} from '../../src/exchange/flux/read.ts'
import {fluxObjects, fluxSecret} from '../../src/exchange/flux/write.ts'
import {helmfile} from '../../src/exchange/helmfile/write.ts'
import {type Format, lostText} from '../../src/exchange/lost.ts'
import {readYaml, readYamlDocuments} from '../../src/yaml/yaml.ts'
import {exportedWith} from './support/exported.ts'

/**
 * Two clouds on one cluster, with the same releases in namespaces of their own, and charts from different
 * places.
 */
function cloud(name: string, namespace: string): Exported {
  const oci = {kind: 'oci', url: `oci://${name}.example.org/charts`} as const
  const repository = {kind: 'repository', url: `https://${name}.example.org/charts`} as const
  return exportedWith(
    {
      mariadb: {
        namespace,
        chart: {name: 'mariadb', version: '1.2.3', source: oci, isLocked: false},
        secrets: ['auth.password'],
        protected: true,
      },
      keystone: {
        namespace,
        chart: {name: 'keystone', version: '2.0.0', source: repository, isLocked: false},
        values: {conf: {debug: true}},
        secrets: ['auth.password'],
        requires: ['mariadb'],
      },
    },
    {name},
  )
}

const PUBLISHED = {
  name: 'web',
  version: '1.2.3',
  source: {kind: 'oci', url: 'oci://registry.example.org/charts'},
  isLocked: false,
} as const

const [ONE, OTHER] = [cloud('one', 'openstack'), cloud('other', 'os2')]

function documents(files: ExportedFiles): readonly Values[] {
  return [...files].flatMap(([path, text]) =>
    path.endsWith('.yaml') ? readYamlDocuments(text).filter(isMap) : [],
  )
}

const WRITERS = {
  flux: (exported: Exported) => {
    const [mariadb, keystone] = exported.groups.flat()
    const secrets = [mariadb!, keystone!].map((each) => fluxSecret(each, {}, exported))
    return [...documents(fluxObjects(exported)), ...secrets]
  },
  argocd: (exported: Exported) => documents(argocdApplications(exported)),
  'argo-workflows': (exported: Exported) => documents(workflowTemplate(exported)),
  armada: (exported: Exported) => documents(armadaManifest(exported)),
} as const

function identities(objects: readonly Values[]): readonly string[] {
  return objects
    .filter(({apiVersion}) => !String(apiVersion).startsWith('kustomize.config.k8s.io'))
    .map(({kind, schema, metadata}) => {
      const {namespace, name} = metadata as Values
      return `${kind ?? schema} ${namespace}/${name}`
    })
}

it.each(['flux', 'argocd', 'argo-workflows', 'armada'] as const)(
  'exports for %s of two environments share no object',
  (format) => {
    const [one, other] = [ONE, OTHER].map((exported) => identities(WRITERS[format](exported)))

    expect(one!.length).toBeGreaterThan(0)
    expect(one!.filter((each) => other!.includes(each))).toEqual([])
  },
)

it.each(['flux', 'argocd'] as const)(
  'environments and releases whose concatenated names are equal share no object of %s',
  (format) => {
    const exports = [
      {name: 'a', release: 'b-c'},
      {name: 'a-b', release: 'c'},
      {name: 'a.b', release: 'c'},
      {name: 'A-b', release: 'c'},
    ].map(({name, release}) => {
      const stated = {values: {debug: true}, secrets: ['password']}
      const exported = exportedWith({[release]: {...stated, chart: PUBLISHED}}, {name})
      if (format === 'argocd') return identities(WRITERS.argocd(exported))
      const secret = fluxSecret(exported.groups.flat()[0]!, {}, exported)
      return identities([...documents(fluxObjects(exported)), secret])
    })

    const all = exports.flat()
    expect(exports[0]).toContainEqual(expect.stringMatching(/\/a-b-c$/))
    expect(exports[1]).toContainEqual(expect.stringMatching(/\/a-b\.c$/))
    expect(new Set(all).size).toBe(all.length)
  },
)

it('exports for helmfile of two environments share no repository', () => {
  const [one, other] = [ONE, OTHER].map((exported) => {
    const {repositories} = readYaml(helmfile(exported).get('helmfile.yaml')!) as {
      repositories: readonly {readonly name: string}[]
    }
    return repositories.map(({name}) => name)
  })

  expect(one).toEqual(['one-charts-1'])
  expect(other).toEqual(['other-charts-1'])
})

it('Flux objects refer to each other by their actual names', () => {
  const objects = WRITERS.flux(ONE)
  const known = identities(objects)

  const referred = objects
    .filter(({kind}) => kind === 'HelmRelease')
    .flatMap(({spec}) => {
      const {
        dependsOn = [],
        chartRef,
        chart,
        valuesFrom = [],
      } = spec as {
        dependsOn?: readonly {name: string}[]
        chartRef?: {kind: string; name: string}
        chart?: {spec: {sourceRef: {kind: string; name: string}}}
        valuesFrom?: readonly {kind: string; name: string}[]
      }
      return [
        ...dependsOn.map(({name}) => `HelmRelease flux-system/${name}`),
        ...[chartRef ?? chart!.spec.sourceRef, ...valuesFrom].map(
          ({kind, name}) => `${kind} flux-system/${name}`,
        ),
      ]
    })

  expect(referred).toContain('HelmRelease flux-system/one-mariadb')
  expect(referred).toContain('Secret flux-system/one-keystone-secret-values')
  expect(referred.filter((each) => !known.includes(each))).toEqual([])
})

it('the commands in LOST.md create the Secrets that the HelmReleases read', () => {
  const text = lostText('flux', ONE)

  expect(text).toContain(
    '\nsupply mariadb one-mariadb-secret-values\nsupply keystone one-keystone-secret-values\n',
  )
})

it('an export for Flux is imported with the names of the releases', () => {
  const files = fluxObjects(ONE)
  const found = [...files].flatMap(([file, text]) =>
    readYamlDocuments(text)
      .filter(isMap)
      .map((value) => ({file, value})),
  )

  const {releases, lost} = importFlux({path: 'out', documents: found, name: 'one', showSecrets: true})

  expect(releases.map(({name, namespace, requires}) => [namespace, name, requires])).toEqual([
    ['openstack', 'mariadb', []],
    ['openstack', 'keystone', ['mariadb']],
  ])
  expect(releases[1]!.values).toEqual({conf: {debug: true}})
  expect(lost).toEqual([
    'the values of mariadb from the Secret one-mariadb-secret-values: it is not among the files',
    'the values of keystone from the Secret one-keystone-secret-values: it is not among the files',
    expect.stringMatching(/^interval: /),
  ])
})

it.each([
  [['cloud', 'mariadb'], 'cloud-mariadb'],
  [['kk', 'all-in-one'], 'kk-all-in-one'],
  [['v1.2', 'web'], 'v1.2-web'],
])('the object name of %j is %s', (parts, name) => {
  expect(objectName(...parts)).toBe(name)
})

it.each([
  ['letters that names of objects do not have', ['Cloud_A', 'web'], ['cloud-a', 'web']],
  ['plus signs', ['cloud', 'web-1.2.3+4'], ['cloud', 'web-1.2.3-4']],
  ['dots at the ends of words', ['a.', 'b'], ['a', 'b']],
  [
    'more than 63 characters',
    ['c'.repeat(40), `${'d'.repeat(40)}-1`],
    ['c'.repeat(40), `${'d'.repeat(40)}-2`],
  ],
])('names with %s stay valid and distinct object names', (_, parts, others) => {
  const [name, other] = [objectName(...parts), objectName(...others)]

  expect(name).not.toBe(other)
  for (const each of [name, other])
    expect(each).toMatch(
      /^(?=.{1,63}$)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/,
    )
})

const WHERE = {where: 'production', retryCommand: 'export again'}

function fits(format: Extract<Format, 'flux' | 'argocd'>, present: readonly Values[], exported: Exported) {
  return () => expectSameDrivers(driversAmong(WRITERS[format](exported)), driversAmong(present), WHERE)
}

/** Objects as an export before had them: under the bare names of releases. */
function bare(objects: readonly Values[], suspend?: boolean): readonly Values[] {
  const named = objects.filter(({metadata}) => metadata !== undefined)
  return named.map(({metadata, spec, ...rest}) => {
    const {name, ...others} = metadata as Values & {readonly name: string}
    return {
      ...rest,
      metadata: {...others, name: name.replace(/^one-/, '')},
      spec: {...(spec as Values), ...(suspend && {suspend})},
    }
  })
}

it.each(['flux', 'argocd'] as const)(
  'an export for %s fits its own objects, and those of another environment',
  (format) => {
    const present = [...WRITERS[format](ONE), ...WRITERS[format](OTHER)]

    expect(fits(format, present, ONE)).not.toThrow()
  },
)

it.each([
  [
    'flux',
    'HelmRelease flux-system/one-mariadb installs openstack/mariadb, and moved/mariadb in this export: Flux would uninstall openstack/mariadb',
  ],
  [
    'argocd',
    'Application argocd/one-mariadb installs openstack/mariadb, and moved/mariadb in this export: Argo CD would no longer manage, and may prune, openstack/mariadb',
  ],
] as const)(
  'an export for %s into another namespace is rejected with the affected objects',
  (format, line) => {
    expect(fits(format, WRITERS[format](ONE), cloud('one', 'moved'))).toThrow(
      expect.objectContaining({code: 'KK_EXPORT', exit: 3, message: expect.stringContaining(line)}),
    )
  },
)

it.each([
  [
    'flux',
    'HelmRelease flux-system/mariadb installs openstack/mariadb, as flux-system/one-mariadb of this export does',
    /suspend each of these HelmReleases.*; then export again/,
  ],
  [
    'argocd',
    'Application argocd/mariadb installs openstack/mariadb, as argocd/one-mariadb of this export does',
    /--cascade=false.*; then export again/,
  ],
] as const)(
  'an export for %s is rejected if the release is installed under another name',
  (format, line, hint) => {
    expect(fits(format, bare(WRITERS[format](ONE)), ONE)).toThrow(
      expect.objectContaining({
        code: 'KK_EXPORT',
        message: expect.stringContaining(line),
        hint: expect.stringMatching(hint),
      }),
    )
  },
)

it('an export for Flux is accepted if the HelmRelease with the other name is suspended', () => {
  expect(fits('flux', bare(WRITERS.flux(ONE), true), ONE)).not.toThrow()
})

it('releases on another cluster do not conflict with an export', () => {
  const remote = bare(WRITERS.flux(ONE)).map((each) => ({
    ...each,
    spec: {...(each.spec as Values), kubeConfig: {secretRef: {name: 'edge'}}},
  }))

  expect(fits('flux', remote, ONE)).not.toThrow()
})
