import {dig} from '../../base/dig.ts'
import {KkError} from '../../base/errors.ts'
import {mergeValues} from '../../base/merge.ts'
import {isMap, type Values} from '../../base/values.ts'
import {type ReleaseId, releaseId} from '../../release.ts'
import {readYaml} from '../../yaml/yaml.ts'
import {assemble, type ReadRelease} from '../assemble.ts'
import {lostCredentials, withoutCredentials} from '../credentials.ts'
import type {FileDocument} from '../documents.ts'
import {type Imported, type ImportedSource, refuseOddSettings, withoutSecrets} from '../imported.ts'
import {notText, unread} from '../unread.ts'
import {expandedSets} from './application-set.ts'
import {withParameters} from './parameters.ts'

interface ArgocdOptions {
  /** The path of the documents, for messages. */
  readonly path: string
  readonly documents: readonly FileDocument[]
  readonly name: string
  /** Also write values that look secret. */
  readonly showSecrets: boolean
}

/** An Application that installs a chart. */
interface Application {
  readonly name: string
  readonly wave: number
  readonly object: Values
  readonly spec: Values
  readonly source: Values
  /** The number of further sources. */
  readonly furtherSources: number
}

/**
 * Returns Applications of charts as an environment: each release requires all releases of the previous sync
 * wave. Applications without a chart are skipped and listed, as is what an environment cannot express. Throws
 * `KK_IMPORT` if there is no Application.
 */
export function importArgocd({path, documents, name, showSecrets}: ArgocdOptions): Imported {
  refuseOddSettings({name, charts: []})
  const sets = expandedSets(documents.map(({value}) => value))
  const explicit = documents.map(({value}) => value).filter((value) => isKind(value, 'Application'))
  const all = [...explicit, ...sets.applications]
  if (all.length === 0 && sets.lost.length === 0) throw noApplication(path)
  const results = all.map(parseApplication)
  const applications = results.filter((each) => typeof each !== 'string')
  const waves = [...new Set(applications.map(({wave}) => wave))].toSorted((a, b) => a - b)
  const read = applications.map((application) => {
    const before = waves[waves.indexOf(application.wave) - 1]
    const needed = applications.filter(({wave}) => wave === before)
    return readApplication(application, {needed, showSecrets})
  })
  return assemble({
    name,
    from: `the Applications of ${path}`,
    read,
    where: path,
    lost: [
      ...results.filter((each) => typeof each === 'string'),
      ...sets.lost,
      ...(waves.length > 1
        ? [
            'waves: each release requires all releases of the previous wave, which is more than its chart needs: remove what is not needed',
          ]
        : []),
      'Helm records: Argo CD keeps none, so there is nothing to adopt, and kk deploy refuses existing objects (KK_IN_THE_WAY) until they have the label and the annotations of Helm',
    ],
  })
}

function isKind({apiVersion, kind}: Values, wanted: string): boolean {
  return kind === wanted && String(apiVersion).startsWith('argoproj.io/')
}

/** Returns an Application with the chart that it installs, or the reason why it is skipped. */
function parseApplication(object: Values): Application | string {
  const {metadata, spec} = object
  const name = String(dig(metadata, 'name'))
  if (!isMap(spec)) return `${name} is skipped: it has no spec`
  const sources = [spec.source, ...(Array.isArray(spec.sources) ? spec.sources : [])].filter(isMap)
  const charts = sources.filter(({chart}) => typeof chart === 'string' && chart !== '')
  const [source] = charts
  if (source === undefined) return `${name} is skipped: it installs no chart of a repository`
  if (charts.length > 1) return `${name} is skipped: it has ${charts.length} charts, and a release has one`
  const wave = Number(dig(metadata, 'annotations', 'argocd.argoproj.io/sync-wave') ?? 0)
  return {name, wave, object, spec, source, furtherSources: sources.length - 1}
}

/** Keys that kk imports or has an equivalent for. */
const SPEC_READ = new Set('project destination source sources syncPolicy'.split(' '))
const DESTINATION_READ = new Set(['namespace', 'server', 'name'])
const SOURCE_READ = new Set('repoURL chart targetRevision helm'.split(' '))
const HELM_READ = new Set('releaseName values valuesObject parameters'.split(' '))
const SYNC_READ = new Set(['automated', 'syncOptions', 'retry'])
const OPTIONS_READ = /^(?:CreateNamespace|ServerSideApply|Delete|Prune)=/
const IN_CLUSTER = new Set([undefined, '', 'https://kubernetes.default.svc', 'in-cluster'])

interface ReadContext {
  /** The Applications of the previous wave. */
  readonly needed: readonly Application[]
  readonly showSecrets: boolean
}

function readApplication(application: Application, {needed, showSecrets}: ReadContext): ReadRelease {
  const {object, spec, source, furtherSources} = application
  const url = String(source.repoURL ?? '')
  const {name, namespace} = releasePlace(application)
  const helm = isMap(source.helm) ? source.helm : {}
  const {values, lost} = helmValues(helm, application)
  const redacted = showSecrets ? {values, lost: []} : withoutSecrets(name, values)
  const destination = isMap(spec.destination) ? spec.destination : {}
  const clusters = [destination.server, destination.name].filter((each) => !IN_CLUSTER.has(each as string))
  const sync = isMap(spec.syncPolicy) ? spec.syncPolicy : {}
  const options = syncOptionList(object, sync)
  const version = source.targetRevision
  return {
    release: {
      name,
      namespace,
      chart: {
        name: String(source.chart),
        ...(typeof version === 'string' && version !== '' && version !== '*' && {version}),
      },
      values: redacted.values,
      requires: [],
      ...(options.includes('Delete=false') && {protected: true}),
      notes: [],
    },
    source: chartSource(withoutCredentials(url)),
    needs: needed.map((each) => ({release: applicationRelease(each), text: each.name})),
    lost: [
      ...redacted.lost,
      ...lost,
      ...(withoutCredentials(url) === url ? [] : [lostCredentials(`the chart of ${name}`)]),
      ...(furtherSources === 0
        ? []
        : [`sources of ${name} besides its chart: an environment cannot express them`]),
      ...clusters.map(
        (each) =>
          `the cluster ${withoutCredentials(String(each))} of ${name}: an environment belongs to one cluster`,
      ),
      ...unread(spec, SPEC_READ, name),
      ...unread(destination, DESTINATION_READ, `the destination of ${name}`),
      ...unread(source, SOURCE_READ, `the source of ${name}`),
      ...notText(version, `targetRevision of ${name}`),
      ...unread(helm, HELM_READ, `helm of ${name}`),
      ...unread(sync, SYNC_READ, `syncPolicy of ${name}`),
      ...options
        .filter((each) => !OPTIONS_READ.test(each))
        .map((each) => `${each} of ${name}: an option of Argo CD only`),
    ],
  }
}

function applicationRelease(application: Application): ReleaseId {
  const {name, namespace} = releasePlace(application)
  return releaseId(namespace, name)
}

function releasePlace({name, spec, source}: Application): {
  readonly name: string
  readonly namespace: string
} {
  return {
    name: String(dig(source, 'helm', 'releaseName') ?? name),
    namespace: String(dig(spec, 'destination', 'namespace') ?? 'default'),
  }
}

/**
 * Returns the release that an Application installs, and its cluster if that is not Argo CD's own; undefined
 * unless the Application installs exactly one chart.
 */
export function applicationTarget(
  object: Values,
): {readonly release: ReleaseId; readonly cluster: string | undefined} | undefined {
  const application = parseApplication(object)
  if (typeof application === 'string') return undefined
  const {destination} = application.spec
  const clusters = [dig(destination, 'server'), dig(destination, 'name')]
  const cluster = clusters.find((each) => !IN_CLUSTER.has(each as string))
  return {release: applicationRelease(application), cluster: cluster as string | undefined}
}

/**
 * Argo CD: reposerver/repository helmTemplate. `valuesObject` replaces `values`, parameters win. Throws
 * `KK_YAML`, `KK_VALUES`.
 */
function helmValues(
  {valuesObject, values, parameters}: Values,
  application: Application,
): ReturnType<typeof withParameters> {
  const {name} = application
  const text = typeof values === 'string' ? readYaml(values, {file: `the values of ${name}`}) : undefined
  const base = isMap(valuesObject) ? valuesObject : isMap(text) ? text : {}
  return withParameters(mergeValues({}, base), parameters, application)
}

/** Argo CD writes registries without a scheme. */
function chartSource(url: string): ImportedSource {
  if (/^https?:/.test(url)) return {repository: url}
  return {oci: `oci://${url.replace(/^oci:\/\//, '').replace(/\/+$/, '')}`}
}

function syncOptionList({metadata}: Values, {syncOptions}: Values): readonly string[] {
  const annotated = String(dig(metadata, 'annotations', 'argocd.argoproj.io/sync-options') ?? '').split(',')
  const specified = Array.isArray(syncOptions) ? syncOptions.map(String) : []
  return [...new Set([...annotated, ...specified].map((each) => each.trim()).filter((each) => each !== ''))]
}

function noApplication(path: string): KkError {
  return new KkError('KK_IMPORT', `${path} has no Application of Argo CD`, {
    hint: 'specify a file or a directory with Applications; to get those that an ApplicationSet generated: kubectl get applications --output yaml',
  })
}
