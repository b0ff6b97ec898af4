import {basename, dirname, relative, resolve} from 'node:path'
import {dig, digText} from '../../base/dig.ts'
import {TIME_TITLE, timeOf} from '../../base/duration.ts'
import {KkError} from '../../base/errors.ts'
import {isMap, type Values} from '../../base/values.ts'
import {readChart} from '../../charts/read-chart.ts'
import {releaseId} from '../../release.ts'
import {assemble, type ReadRelease} from '../assemble.ts'
import {withoutCredentials} from '../credentials.ts'
import {type Imported, type ImportedSource, refuseOddSettings, withoutSecrets} from '../imported.ts'
import {unread} from '../unread.ts'
import {mergeOverrides} from './overrides.ts'
import {documentName} from './schema.ts'

interface ArmadaOptions {
  /** The manifest; its chart paths are relative to its directory. */
  readonly file: string
  /**
   * The directory of the environment file, to which its paths are relative; defaults to that of the manifest.
   */
  readonly directory?: string | undefined
  readonly documents: readonly unknown[]
  /** Documents to merge over the manifest, as with `armada apply --values`. */
  readonly overrides: readonly Values[]
  readonly name: string
  /** Name releases as the manifest does; otherwise as Armada installs them, with its prefix. */
  readonly isPlain: boolean
  /** Also write values that look secret. */
  readonly showSecrets: boolean
}

/**
 * Returns an Armada manifest as an environment: each chart requires all charts of the previous group, and in
 * a sequenced group the preceding chart. What an environment cannot express is listed. Throws `KK_ARMADA` if
 * the manifest is incomplete or violates Armada's schemas, or if an override matches nothing.
 */
export function importArmada({
  file,
  directory = dirname(file),
  documents,
  overrides,
  name,
  isPlain,
  showSecrets,
}: ArmadaOptions): Imported {
  refuseOddSettings({name, charts: []})
  const merged = mergeOverrides({file, documents}, overrides)
  const manifest = onlyManifest(merged, file)
  const {release_prefix: prefix, chart_groups: groups} = documentData(manifest) as {
    readonly release_prefix: string
    readonly chart_groups: readonly string[]
  }
  const charts = groups.flatMap((group) =>
    groupCharts(findDocument(merged, 'ChartGroup', group, file), merged, file),
  )
  const released = new Set(charts.map(({chart}) => String(documentData(chart).release)))
  const context = {file, directory, prefix: isPlain ? undefined : prefix, released, showSecrets}
  const read: ReadRelease[] = []
  let before: readonly ReadRelease[] = []
  for (const group of groups) {
    const {sequenced = false} = documentData(findDocument(merged, 'ChartGroup', group, file))
    const members: ReadRelease[] = []
    for (const {chart} of charts.filter((each) => each.group === group)) {
      const last = sequenced === true ? members.slice(-1) : []
      const needed = last.length > 0 ? last : before
      members.push(readRelease(chart, {...context, needed}))
    }
    read.push(...members)
    if (members.length > 0) before = sequenced === true ? members.slice(-1) : members
  }
  const used = new Set(charts.map(({chart}) => chart))
  const unused = merged.filter((each) => isKind(each, 'Chart') && !used.has(each)).map(documentName)
  return assemble({
    name,
    from: `the manifest ${documentName(manifest)} of ${file}${overrides.length === 0 ? '' : ', with overrides'}`,
    read,
    where: file,
    lost: [
      ...(groups.length > 1
        ? [
            'groups: each release requires all releases of the previous group, which is more than its chart needs: remove what is not needed',
          ]
        : []),
      ...(isPlain
        ? [`release_prefix ${prefix}: Armada has installed the releases under other names, with this prefix`]
        : []),
      ...unused.map((each) => `${each} is skipped: no group of the manifest has it`),
    ],
  })
}

function isKind({schema}: Values, kind: string): boolean {
  return new RegExp(`^armada/${kind}/v[12]$`).test(String(schema))
}

function onlyManifest(documents: readonly Values[], file: string): Values {
  const [manifest, ...rest] = documents.filter((each) => isKind(each, 'Manifest'))
  if (manifest !== undefined && rest.length === 0) return manifest
  throw new KkError(
    'KK_ARMADA',
    `${file}: expected one document armada/Manifest/v1 or v2, got ${manifest === undefined ? 'none' : rest.length + 1}`,
    {hint: 'specify the file that is passed to armada apply'},
  )
}

function findDocument(documents: readonly Values[], kind: string, name: string, file: string): Values {
  const document = documents.find((each) => isKind(each, kind) && documentName(each) === name)
  if (document !== undefined) return document
  throw new KkError('KK_ARMADA', `${file} has no document armada/${kind} named ${name}`, {
    hint: 'a group or the manifest refers to it: add the document, or remove the reference',
  })
}

function groupCharts(group: Values, documents: readonly Values[], file: string) {
  const names = documentData(group).chart_group as readonly string[]
  return names.map((name) => ({
    group: documentName(group),
    chart: findDocument(documents, 'Chart', name, file),
  }))
}

function documentData({data}: Values): Values {
  return isMap(data) ? data : {}
}

/** Keys that kk imports or has an equivalent for: its gate waits for all objects of a release. */
const READ = new Set('chart_name release namespace source values wait protected timeout'.split(' '))
const UPGRADE_READ = new Set(['no_hooks'])
const METADATA_READ = new Set('schema name labels annotations layeringDefinition storagePolicy'.split(' '))

interface ReadContext {
  readonly file: string
  readonly directory: string
  readonly prefix: string | undefined
  /** The releases that must be deployed first. */
  readonly needed: readonly ReadRelease[]
  /** All releases of the manifest, by their names in it. */
  readonly released: ReadonlySet<string>
  readonly showSecrets: boolean
}

function readRelease(
  document: Values,
  {file, directory, prefix, needed, released, showSecrets}: ReadContext,
): ReadRelease {
  const data = documentData(document)
  const {release, namespace, values} = data as {
    readonly release: string
    readonly namespace: string
    values: unknown
  }
  const name = prefix === undefined ? release : `${prefix}-${release}`
  const all = isMap(values) ? values : {}
  const redacted = showSecrets ? {values: all, lost: []} : withoutSecrets(name, all)
  const chart = parseChart(data, {file, directory})
  const seconds = Number(dig(data, 'wait', 'timeout') ?? data.timeout ?? 0)
  const timeout = timeOf(seconds)
  const upgrade = isMap(data.upgrade) ? data.upgrade : {}
  const metadata = isMap(document.metadata) ? document.metadata : {}
  return {
    release: {
      name,
      namespace,
      chart: {name: chart.name},
      values: redacted.values,
      requires: [],
      // The name has the prefix; the chart's own requirements would pull in all charts again under plain
      // names.
      ...(prefix !== undefined && {without: chart.requires.filter((each) => released.has(each))}),
      ...(timeout !== undefined && {timeout}),
      ...(isMap(data.protected) && {protected: true}),
      notes: [],
    },
    source: chart.source,
    needs: needed.map(({release: each}) => ({
      release: releaseId(each.namespace, each.name),
      text: each.name,
    })),
    lost: [
      ...(chart.source === undefined
        ? [
            `the source of the chart ${chart.name} of ${name}: ${withoutCredentials(digText(data, 'source', 'location') ?? '')}`,
          ]
        : []),
      ...(timeout === undefined && seconds > 0 ? [`timeout of ${name}: expected ${TIME_TITLE}`] : []),
      ...redacted.lost,
      ...unread(
        Object.fromEntries(
          Object.entries(data).filter(([key]) => key !== 'upgrade' && !(key === 'test' && isOff(data.test))),
        ),
        READ,
        name,
      ),
      ...unread(upgrade, UPGRADE_READ, `${name}.upgrade`),
      ...unread(metadata, METADATA_READ, name, {instead: 'substitute them first, as Deckhand does'}),
    ],
  }
}

function isOff(test: unknown): boolean {
  return isMap(test) && test.enabled === false
}

interface ArmadaChart {
  readonly name: string
  /** The releases that the chart itself requires. */
  readonly requires: readonly string[]
  /** Undefined for charts that Armada fetches, from git or as an archive. */
  readonly source?: ImportedSource
}

/** A local chart is at `location`/`subpath`; its directory may have another name. */
function parseChart(
  {chart_name, source}: Values,
  {file, directory}: Pick<ReadContext, 'file' | 'directory'>,
): ArmadaChart {
  const subpath = digText(source, 'subpath') ?? '.'
  const path = resolve(dirname(file), digText(source, 'location') ?? '.', subpath)
  const name = typeof chart_name === 'string' ? chart_name : basename(path)
  if (dig(source, 'type') !== 'local') return {name, requires: []}
  const place = relative(directory, basename(path) === name ? dirname(path) : path)
  const requires = chartRequirements(path)
  return {name, requires, source: place === '' ? '.' : place.startsWith('.') ? place : `./${place}`}
}

/** Returns nothing for a chart that is missing or unreadable: deploying the environment reports that. */
function chartRequirements(directory: string): readonly string[] {
  try {
    return readChart(directory).requires.map(({release}) => release)
  } catch {
    return []
  }
}
