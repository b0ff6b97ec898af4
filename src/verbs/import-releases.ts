import {KkError} from '../base/errors.ts'
import {mapParallel} from '../base/parallel.ts'
import {
  type Imported,
  type ImportedRelease,
  type ImportedSource,
  refuseOddSettings,
  skipInexpressible,
  withoutSecrets,
} from '../exchange/imported.ts'
import type {KnownRelease} from '../graph/inference/facts.ts'
import {infer} from '../graph/inference/infer.ts'
import type {Records} from '../kubernetes/records/records.ts'
import type {ReleaseRecord, StoredRelease} from '../kubernetes/records/release-record.ts'
import {readLabels} from '../plan/labels.ts'
import {manifestFacts} from '../prepare/inference/manifests/facts-of.ts'
import {unservedNotes} from '../prepare/inference/notes.ts'
import {type ReleaseId, releaseId, releaseName, releaseNamespace} from '../release.ts'

interface ImportOptions {
  readonly cluster: {readonly records: Records; readonly context: string}
  readonly name: string
  /** The namespace whose releases are imported; all namespaces if undefined. */
  readonly namespace: string | undefined
  /** The sources of their charts for the environment. */
  readonly charts: readonly string[]
  readonly showSecrets: boolean
}

/**
 * Reads the releases that plain helm, or helmfile, has installed: values from the records, requirements
 * inferred from the manifests. Secrets are omitted and listed unless `showSecrets`. Rejects with
 * `KK_NOT_INSTALLED` if there is nothing to import, and with `KK_USAGE`.
 */
export async function importReleases(options: ImportOptions): Promise<Imported> {
  const {cluster, name, namespace, showSecrets} = options
  const charts = options.charts.map(parseSource)
  refuseOddSettings({name, charts})
  const records = await cluster.records.list(namespace)
  const foreign = records.filter(({labels}) => readLabels(labels) === undefined)
  if (foreign.length === 0) throw nothingToImport(namespace, records)
  const stored = await mapParallel(foreign, ({release}) => cluster.records.stored(release))
  const foreignReleases = stored
    .filter((each) => each !== undefined)
    .toSorted((a, b) => (a.release < b.release ? -1 : 1))
  const inferred = inferredBetween(foreignReleases)
  const all = foreignReleases.map((each) => imported(each, inferred, showSecrets))
  const {releases, lost} = skipInexpressible(all, '--namespace')
  const importedIds = new Set(releases.map((each) => releaseId(each.namespace, each.name)))
  const isKept = ({release}: StoredRelease) => importedIds.has(release)
  return {
    name,
    from: `the releases${namespace === undefined ? '' : ` of ${namespace}`} on ${cluster.context}`,
    charts,
    releases,
    lost: [
      ...(charts.length === 0
        ? ['where the charts come from: a record holds a chart, but not its source; name it in kk.charts']
        : []),
      ...lost,
      ...foreignReleases.filter(isKept).flatMap((each) => lossNotes(each, showSecrets)),
      ...inferred.unserved,
    ],
  }
}

/** Returns a source of charts as `kk.charts` states it: an http(s) address is a repository with an index. */
function parseSource(address: string): ImportedSource {
  return /^https?:/.test(address) ? {repository: address} : address
}

function imported(
  {release, chart, values}: StoredRelease,
  {requires}: Inferred,
  showSecrets: boolean,
): ImportedRelease {
  const {name, version} = chart
  return {
    name: releaseName(release),
    namespace: releaseNamespace(release),
    chart: {name, version},
    values: showSecrets ? values : withoutSecrets(name, values).values,
    requires: [],
    notes: requires.get(release) ?? [],
  }
}

function lossNotes({release, status, values}: StoredRelease, showSecrets: boolean): readonly string[] {
  const name = releaseName(release)
  return [
    ...(status === 'deployed' ? [] : [`${name} is ${status}: its values are those of its last revision`]),
    ...(showSecrets ? [] : withoutSecrets(name, values).lost),
  ]
}

interface Inferred {
  /** The requirements of each release with their reasons, as comments. */
  readonly requires: ReadonlyMap<ReleaseId, readonly string[]>
  readonly unserved: readonly string[]
}

/** Infers requirements from the recorded manifests. */
function inferredBetween(stored: readonly StoredRelease[]): Inferred {
  const releases: readonly KnownRelease[] = stored.map(({release, manifest, hooks, crds = []}) => ({
    release,
    shared: false,
    facts: manifestFacts([manifest, ...hooks, ...crds].join('\n---\n'), releaseNamespace(release)),
  }))
  const ids = new Set(stored.map(({release}) => release))
  const none = {stated: new Set<ReleaseId>(), without: new Set<ReleaseId>()}
  const {requirements, unserved} = infer({
    releases,
    inferring: ids,
    chartIndex: [],
    named: ids,
    stated: () => none,
  })
  const edges = Map.groupBy(
    requirements.filter(({kind}) => kind !== 'soft'),
    ({from}) => from,
  )
  const requires = [...edges].map(([release, wants]) => {
    const byTarget = Map.groupBy(wants, ({to}) => to)
    const lines = [...byTarget].map(([to, [first]]) => `requires ${releaseName(to)}: ${first!.evidence.text}`)
    return [release, lines] as const
  })
  return {requires: new Map(requires), unserved: unservedNotes(unserved)}
}

function nothingToImport(namespace: string | undefined, records: readonly ReleaseRecord[]): KkError {
  const where = namespace === undefined ? 'on the cluster' : `in the namespace ${namespace}`
  const what = records.length === 0 ? 'there are no releases' : 'kk installed every release'
  return new KkError('KK_NOT_INSTALLED', `${what} ${where}: nothing to import`, {
    hint: 'helm list --all-namespaces shows what plain helm installed',
  })
}
