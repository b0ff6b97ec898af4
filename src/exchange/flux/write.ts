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

/** How often Flux looks whether something is other than stated. */
const INTERVAL = '10m'

/** Returns an environment as objects of Flux: a HelmRelease for each release, and the sources of their charts. */
export function fluxObjects(exported: Exported): ExportedFiles {
  const releases = releasesOf(exported)
  const sources = new Map(releases.map(({chart}) => [sourceName(chart, exported), sourceOf(chart, exported)]))
  const files = new Map([
    ['sources.yaml', yamlStream([...sources.values()])],
    ...releases.map((each) => [`releases/${each.name}.yaml`, yaml(helmRelease(each, exported))] as const),
    ...releases
      .filter(({values}) => !isEmpty(values))
      .map((each) => [valuesFile(each), valuesObject(each, exported)] as const),
  ])
  const sealed = exported.sops ? releases.filter(({secrets}) => secrets.length > 0) : []
  const resources = [...files.keys(), ...sealed.map(secretsFile)]
  const kustomization = {apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', resources}
  return new Map([['kustomization.yaml', yaml(kustomization)], ...files])
}

/** Returns the Secret from which a HelmRelease takes its secret values. */
export function fluxSecret(release: ExportedRelease, values: Values, environment: Named): Values {
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
 * Returns a ConfigMap with the values of a release as text, which each way to apply it leaves as it is: `kubectl apply` drops
 * every null of an object, and with it the removal of a default of the chart.
 */
function valuesObject({name, values}: ExportedRelease, environment: Named): string {
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
  // Without an escape, for people: what `yaml` writes is ASCII, and every line of it ends with a line feed.
  const lines = yaml(values).replaceAll(/^(?=.)/gm, '    ')
  return `${yaml(object)}data:\n  ${VALUES_KEY}: |\n${lines}`
}

/** How many revisions of a release are kept. */
export const KEPT_REVISIONS = 10

/** helm-controller 1.4: has a change of values reconciled at once; without it, or before, at the next interval. */
const WATCHED = {'reconcile.fluxcd.io/watch': 'Enabled'}

/** Keeps `${name}` as it is where a Kustomization has `postBuild.substitute`. */
const AS_WRITTEN = {'kustomize.toolkit.fluxcd.io/substitute': 'disabled'}

function valuesName(release: string, environment: Named): string {
  return `${partName(environment, release)}-values`
}

export function secretName(release: Pick<ExportedRelease, 'name'>, environment: Named): string {
  return `${partName(environment, release.name)}-secret-values`
}

export const VALUES_KEY = 'values.yaml'

/** The environment, of which only its part of names is needed. */
type Named = Pick<Exported, 'name' | 'separator'>

function helmRelease(release: ExportedRelease, environment: Named): Values {
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
      // As helm, and kk, keep them; by default Flux keeps 5.
      maxHistory: KEPT_REVISIONS,
      releaseName: name,
      targetNamespace: namespace,
      // By default the record would lie beside the HelmRelease, where helm does not find it.
      storageNamespace: namespace,
      ...(needs.length > 0 && {
        dependsOn: needs.map((id) => ({name: partName(environment, releaseName(id))})),
      }),
      install: {createNamespace: true, ...change},
      upgrade: change,
      ...chartOf(chart, environment),
      ...(valuesFrom.length > 0 && {valuesFrom}),
    },
  }
}

function labels({name}: Named): Values {
  return {'kk.openstack.org/environment': name}
}

/** Charts are published before they come here: Flux takes none from a directory. */
function chartOf(chart: ExportedChart, environment: Named): Values {
  const name = sourceName(chart, environment)
  if (chart.source?.kind === 'oci') return {chartRef: {kind: 'OCIRepository', name}}
  const sourceRef = {kind: 'HelmRepository', name}
  return {chart: {spec: {chart: chart.name, version: chart.version, interval: INTERVAL, sourceRef}}}
}

function sourceOf(chart: ExportedChart, environment: Named): Values {
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
      // Helm writes a version as a tag, which has no plus sign.
      ref: {tag: version.replaceAll('+', '_')},
      layerSelector: {mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip', operation: 'copy'},
    },
  }
}

/** Other environments may have the same chart from elsewhere. */
function sourceName({name, version, source}: ExportedChart, environment: Named): string {
  const words = source?.kind === 'oci' ? `${name}-${version}` : (source?.url ?? '').replace(/^\w+:\/\//, '')
  return partName(environment, words)
}
