import {dig} from '../../base/dig.ts'
import {KkError} from '../../base/errors.ts'
import {isMap, type Values} from '../../base/values.ts'
import {mergeValues} from '../../overrides/merge.ts'
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
  /** For people: where the documents were read. */
  readonly path: string
  readonly documents: readonly FileDocument[]
  readonly name: string
  /** Write what looks secret among the values, too. */
  readonly showSecrets: boolean
}

/** An Application that installs a chart. */
interface Application {
  readonly name: string
  readonly wave: number
  readonly object: Values
  readonly spec: Values
  readonly source: Values
  /** How many sources there are beside it. */
  readonly others: number
}

/**
 * Returns Applications of charts as an environment: each requires all of the wave before its own. What is no chart is left
 * out, and named, as is what has no place. Throws `KK_IMPORT` where there is no Application.
 */
export function importArgocd({path, documents, name, showSecrets}: ArgocdOptions): Imported {
  refuseOddSettings({name, charts: []})
  const sets = expandedSets(documents.map(({value}) => value))
  const stated = documents.map(({value}) => value).filter((value) => isKind(value, 'Application'))
  const all = [...stated, ...sets.applications]
  if (all.length === 0 && sets.lost.length === 0) throw nothing(path)
  const looked = all.map(applicationOf)
  const applications = looked.filter((each) => typeof each !== 'string')
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
      ...looked.filter((each) => typeof each === 'string'),
      ...sets.lost,
      ...(waves.length > 1
        ? [
            'waves: each release requires all of the wave before it, which is more than its chart needs: take out what is not',
          ]
        : []),
      'records of helm: Argo CD keeps none, so there is nothing to adopt, and kk deploy refuses objects that exist (KK_IN_THE_WAY) until they bear the label and the annotations of helm',
    ],
  })
}

function isKind({apiVersion, kind}: Values, wanted: string): boolean {
  return kind === wanted && String(apiVersion).startsWith('argoproj.io/')
}

/** Returns an Application with the chart that it installs, or why it is left out. */
function applicationOf(object: Values): Application | string {
  const {metadata, spec} = object
  const name = String(dig(metadata, 'name'))
  if (!isMap(spec)) return `${name} is left out: it has no spec`
  const sources = [spec.source, ...(Array.isArray(spec.sources) ? spec.sources : [])].filter(isMap)
  const charts = sources.filter(({chart}) => typeof chart === 'string' && chart !== '')
  const [source] = charts
  if (source === undefined) return `${name} is left out: it is no chart of a repository`
  if (charts.length > 1) return `${name} is left out: it is ${charts.length} charts, and a release is one`
  const wave = Number(dig(metadata, 'annotations', 'argocd.argoproj.io/sync-wave') ?? 0)
  return {name, wave, object, spec, source, others: sources.length - 1}
}

/** Keys that kk has something of its own for. */
const SPEC_READ = new Set('project destination source sources syncPolicy'.split(' '))
const DESTINATION_READ = new Set(['namespace', 'server', 'name'])
const SOURCE_READ = new Set('repoURL chart targetRevision helm'.split(' '))
const HELM_READ = new Set('releaseName values valuesObject parameters'.split(' '))
const SYNC_READ = new Set(['automated', 'syncOptions', 'retry'])
const OPTIONS_READ = /^(?:CreateNamespace|ServerSideApply|Delete|Prune)=/
const IN_CLUSTER = new Set([undefined, '', 'https://kubernetes.default.svc', 'in-cluster'])

interface Among {
  /** The Applications that go before. */
  readonly needed: readonly Application[]
  readonly showSecrets: boolean
}

function readApplication(application: Application, {needed, showSecrets}: Among): ReadRelease {
  const {object, spec, source, others} = application
  const url = String(source.repoURL ?? '')
  const {name, namespace} = placeOf(application)
  const helm = isMap(source.helm) ? source.helm : {}
  const {values, lost} = valuesOf(helm, application)
  const kept = showSecrets ? {values, lost: []} : withoutSecrets(name, values)
  const destination = isMap(spec.destination) ? spec.destination : {}
  const clusters = [destination.server, destination.name].filter((each) => !IN_CLUSTER.has(each as string))
  const sync = isMap(spec.syncPolicy) ? spec.syncPolicy : {}
  const options = optionsOf(object, sync)
  const version = source.targetRevision
  return {
    release: {
      name,
      namespace,
      chart: {
        name: String(source.chart),
        ...(typeof version === 'string' && version !== '' && version !== '*' && {version}),
      },
      values: kept.values,
      requires: [],
      ...(options.includes('Delete=false') && {protected: true}),
      notes: [],
    },
    source: sourceOf(withoutCredentials(url)),
    needs: needed.map((each) => ({release: idOf(each), text: each.name})),
    lost: [
      ...kept.lost,
      ...lost,
      ...(withoutCredentials(url) === url ? [] : [lostCredentials(`the chart of ${name}`)]),
      ...(others === 0 ? [] : [`sources of ${name} beside its chart: an environment has no place for them`]),
      ...clusters.map(
        (each) =>
          `the cluster ${withoutCredentials(String(each))} of ${name}: an environment is of one cluster`,
      ),
      ...unread(spec, SPEC_READ, name),
      ...unread(destination, DESTINATION_READ, `the destination of ${name}`),
      ...unread(source, SOURCE_READ, `the source of ${name}`),
      ...notText(version, `targetRevision of ${name}`),
      ...unread(helm, HELM_READ, `helm of ${name}`),
      ...unread(sync, SYNC_READ, `syncPolicy of ${name}`),
      ...options
        .filter((each) => !OPTIONS_READ.test(each))
        .map((each) => `${each} of ${name}: an option of Argo CD`),
    ],
  }
}

function idOf(application: Application): ReleaseId {
  const {name, namespace} = placeOf(application)
  return releaseId(namespace, name)
}

function placeOf({name, spec, source}: Application): {readonly name: string; readonly namespace: string} {
  return {
    name: String(dig(source, 'helm', 'releaseName') ?? name),
    namespace: String(dig(spec, 'destination', 'namespace') ?? 'default'),
  }
}

/** The release that an Application installs, and the cluster unless it is that of Argo CD; undefined where it is not one chart. */
export function applicationTarget(
  object: Values,
): {readonly release: ReleaseId; readonly cluster: string | undefined} | undefined {
  const application = applicationOf(object)
  if (typeof application === 'string') return undefined
  const {destination} = application.spec
  const clusters = [dig(destination, 'server'), dig(destination, 'name')]
  const cluster = clusters.find((each) => !IN_CLUSTER.has(each as string))
  return {release: idOf(application), cluster: cluster as string | undefined}
}

/** Argo CD: reposerver/repository helmTemplate. The object takes the place of the text, parameters win. Throws `KK_YAML`, `KK_VALUES`. */
function valuesOf(
  {valuesObject, values, parameters}: Values,
  application: Application,
): ReturnType<typeof withParameters> {
  const {name} = application
  const text = typeof values === 'string' ? readYaml(values, {file: `the values of ${name}`}) : undefined
  const stated = isMap(valuesObject) ? valuesObject : isMap(text) ? text : {}
  return withParameters(mergeValues({}, stated), parameters, application)
}

/** Argo CD has registries without their scheme. */
function sourceOf(url: string): ImportedSource {
  if (/^https?:/.test(url)) return {repository: url}
  return {oci: `oci://${url.replace(/^oci:\/\//, '').replace(/\/+$/, '')}`}
}

function optionsOf({metadata}: Values, {syncOptions}: Values): readonly string[] {
  const annotated = String(dig(metadata, 'annotations', 'argocd.argoproj.io/sync-options') ?? '').split(',')
  const stated = Array.isArray(syncOptions) ? syncOptions.map(String) : []
  return [...new Set([...annotated, ...stated].map((each) => each.trim()).filter((each) => each !== ''))]
}

function nothing(path: string): KkError {
  return new KkError('KK_IMPORT', `${path} has no Application of Argo CD`, {
    hint: 'name a file or a directory with Applications; those that an ApplicationSet has made: kubectl get applications --output yaml',
  })
}
