import {isEmpty, type Values} from '../../base/values.ts'
import {releaseName} from '../../release.ts'
import {
  type Exported,
  type ExportedChart,
  type ExportedFiles,
  type ExportedRelease,
  partName,
  releasesOf,
  secretsFile,
  valuesFile,
  yaml,
  yamlStream,
} from '../exported.ts'
import {CONTROL_NAMESPACE} from './target.ts'

/** The interval at which Flux checks for drift. */
const INTERVAL = '10m'

/**
 * Returns an environment as Flux objects: a HelmRelease for each release, and the sources of their charts.
 */
export function fluxObjects(exported: Exported): ExportedFiles {
  const releases = releasesOf(exported)
  const sources = new Map(
    releases.map(({chart}) => [sourceName(chart, exported), chartSource(chart, exported)]),
  )
  const files = new Map([
    ['sources.yaml', yamlStream([...sources.values()])],
    ...releases.map((each) => [`releases/${each.name}.yaml`, yaml(helmRelease(each, exported))] as const),
    ...releases
      .filter(({values}) => !isEmpty(values))
      .map((each) => [valuesFile(each), valuesObject(each, exported)] as const),
  ])
  const encrypted = exported.sops ? releases.filter(({secrets}) => secrets.length > 0) : []
  const resources = [...files.keys(), ...encrypted.map(secretsFile)]
  const kustomization = {apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', resources}
  return new Map([['kustomization.yaml', yaml(kustomization)], ...files])
}

/** Returns the Secret that holds the secret values of a HelmRelease. */
export function fluxSecret(release: ExportedRelease, values: Values, environment: NamedExport): Values {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: secretName(release, environment),
      namespace: CONTROL_NAMESPACE,
      labels: {...labels(environment), ...WATCHED},
      annotations: AS_WRITTEN,
    },
    stringData: {[VALUES_KEY]: yaml(values)},
  }
}

/**
 * Returns a ConfigMap with the values of a release as a string, which no way of applying it alters: `kubectl
 * apply` drops every null of an object, and with it the removal of a chart default.
 */
function valuesObject({name, values}: ExportedRelease, environment: NamedExport): string {
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: valuesName(name, environment),
      namespace: CONTROL_NAMESPACE,
      labels: {...labels(environment), ...WATCHED},
      annotations: AS_WRITTEN,
    },
  }
  // A readable block scalar: `yaml` writes ASCII only, and each of its lines ends with a line feed.
  const lines = yaml(values).replaceAll(/^(?=.)/gm, '    ')
  return `${yaml(object)}data:\n  ${VALUES_KEY}: |\n${lines}`
}

/** The number of revisions of a release that are kept. */
export const KEPT_REVISIONS = 10

/** helm-controller 1.4: reconciles changed values immediately; otherwise at the next interval. */
const WATCHED = {'reconcile.fluxcd.io/watch': 'Enabled'}

/** Preserves `${name}` if a Kustomization has `postBuild.substitute`. */
const AS_WRITTEN = {'kustomize.toolkit.fluxcd.io/substitute': 'disabled'}

function valuesName(release: string, environment: NamedExport): string {
  return `${partName(environment, release)}-values`
}

export function secretName(release: Pick<ExportedRelease, 'name'>, environment: NamedExport): string {
  return `${partName(environment, release.name)}-secret-values`
}

export const VALUES_KEY = 'values.yaml'

/** The parts of an environment that object names need. */
type NamedExport = Pick<Exported, 'name' | 'separator'>

function helmRelease(release: ExportedRelease, environment: NamedExport): Values {
  const {name, namespace, chart, values, secrets, timeoutSeconds, hooksAfter, needs} = release
  const valuesFrom = [
    ...(isEmpty(values)
      ? []
      : [{kind: 'ConfigMap', name: valuesName(name, environment), valuesKey: VALUES_KEY}]),
    ...(secrets.length === 0
      ? []
      : [{kind: 'Secret', name: secretName(release, environment), valuesKey: VALUES_KEY}]),
  ]
  const change = {disableWait: hooksAfter, remediation: {retries: 0}}
  return {
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    metadata: {
      name: partName(environment, name),
      namespace: CONTROL_NAMESPACE,
      labels: labels(environment),
      annotations: {
        ...AS_WRITTEN,
        ...(release.protected && {'kustomize.toolkit.fluxcd.io/prune': 'disabled'}),
      },
    },
    spec: {
      interval: INTERVAL,
      timeout: `${timeoutSeconds}s`,
      // The number that helm and kk keep; Flux keeps 5 by default.
      maxHistory: KEPT_REVISIONS,
      releaseName: name,
      targetNamespace: namespace,
      // By default Flux stores the record in the HelmRelease's namespace, in which helm does not find it.
      storageNamespace: namespace,
      ...(needs.length > 0 && {
        dependsOn: needs.map((id) => ({name: partName(environment, releaseName(id))})),
      }),
      install: {createNamespace: true, ...change},
      upgrade: change,
      ...chartReference(chart, environment),
      ...(valuesFrom.length > 0 && {valuesFrom}),
    },
  }
}

function labels({name}: NamedExport): Values {
  return {'kk.openstack.org/environment': name}
}

/** Charts are published before the export: Flux takes none from a directory. */
function chartReference(chart: ExportedChart, environment: NamedExport): Values {
  const name = sourceName(chart, environment)
  if (chart.source?.kind === 'oci') return {chartRef: {kind: 'OCIRepository', name}}
  const sourceRef = {kind: 'HelmRepository', name}
  return {chart: {spec: {chart: chart.name, version: chart.version, interval: INTERVAL, sourceRef}}}
}

function chartSource(chart: ExportedChart, environment: NamedExport): Values {
  const {name, version, source} = chart
  const metadata = {
    name: sourceName(chart, environment),
    namespace: CONTROL_NAMESPACE,
    labels: labels(environment),
  }
  const url = source?.url ?? ''
  if (source?.kind !== 'oci')
    return {
      apiVersion: 'source.toolkit.fluxcd.io/v1',
      kind: 'HelmRepository',
      metadata,
      spec: {interval: INTERVAL, url},
    }
  return {
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'OCIRepository',
    metadata,
    spec: {
      interval: INTERVAL,
      url: `${url}/${name}`,
      // Helm writes the version as a tag, which cannot contain a plus sign.
      ref: {tag: version.replaceAll('+', '_')},
      layerSelector: {mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip', operation: 'copy'},
    },
  }
}

/** Other environments may take the same chart from another source. */
function sourceName({name, version, source}: ExportedChart, environment: NamedExport): string {
  const words = source?.kind === 'oci' ? `${name}-${version}` : (source?.url ?? '').replace(/^\w+:\/\//, '')
  return partName(environment, words)
}
