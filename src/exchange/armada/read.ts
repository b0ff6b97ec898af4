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
import {layOver} from './overrides.ts'
import {nameOf} from './schema.ts'

interface ArmadaOptions {
  /** The manifest; its paths of charts start in its directory. */
  readonly file: string
  /** The directory of the environment file, where its paths start; by default that of the manifest. */
  readonly home?: string | undefined
  readonly documents: readonly unknown[]
  /** Documents that are laid over it, as `armada apply --values` does. */
  readonly overrides: readonly Values[]
  readonly name: string
  /** Name releases as the manifest does; otherwise as Armada installs them, with its prefix before. */
  readonly isPlain: boolean
  /** Write what looks secret among the values, too. */
  readonly showSecrets: boolean
}

/**
 * Returns a manifest of Armada as an environment: each chart requires all of the group before its own, and in a group that is
 * sequenced the one before it. What has no place is listed. Throws `KK_ARMADA` for a manifest that is incomplete or breaks
 * Armada's schemas, and for overrides that match nothing.
 */
export function importArmada({
  file,
  home = dirname(file),
  documents,
  overrides,
  name,
  isPlain,
  showSecrets,
}: ArmadaOptions): Imported {
  refuseOddSettings({name, charts: []})
  const laid = layOver({file, documents}, overrides)
  const manifest = onlyManifest(laid, file)
  const {release_prefix: prefix, chart_groups: groups} = dataOf(manifest) as {
    readonly release_prefix: string
    readonly chart_groups: readonly string[]
  }
  const charts = groups.flatMap((group) => chartsOf(documentOf(laid, 'ChartGroup', group, file), laid, file))
  const released = new Set(charts.map(({chart}) => String(dataOf(chart).release)))
  const among = {file, home, prefix: isPlain ? undefined : prefix, released, showSecrets}
  const read: ReadRelease[] = []
  let before: readonly ReadRelease[] = []
  for (const group of groups) {
    const {sequenced = false} = dataOf(documentOf(laid, 'ChartGroup', group, file))
    const members: ReadRelease[] = []
    for (const {chart} of charts.filter((each) => each.group === group)) {
      const last = sequenced === true ? members.slice(-1) : []
      const needed = last.length > 0 ? last : before
      members.push(readRelease(chart, {...among, needed}))
    }
    read.push(...members)
    if (members.length > 0) before = sequenced === true ? members.slice(-1) : members
  }
  const used = new Set(charts.map(({chart}) => chart))
  const unused = laid.filter((each) => isOf(each, 'Chart') && !used.has(each)).map(nameOf)
  return assemble({
    name,
    from: `the manifest ${nameOf(manifest)} of ${file}${overrides.length === 0 ? '' : ', with overrides laid over it'}`,
    read,
    where: file,
    lost: [
      ...(groups.length > 1
        ? [
            'groups: each release requires all of the group before it, which is more than its chart needs: take out what is not',
          ]
        : []),
      ...(isPlain
        ? [`release_prefix ${prefix}: Armada has installed the releases with it, under other names`]
        : []),
      ...unused.map((each) => `${each} is left out: no group of the manifest has it`),
    ],
  })
}

function isOf({schema}: Values, kind: string): boolean {
  return new RegExp(`^armada/${kind}/v[12]$`).test(String(schema))
}

function onlyManifest(documents: readonly Values[], file: string): Values {
  const [manifest, ...others] = documents.filter((each) => isOf(each, 'Manifest'))
  if (manifest !== undefined && others.length === 0) return manifest
  throw new KkError(
    'KK_ARMADA',
    `${file}: expected one document armada/Manifest/v1 or v2, got ${manifest === undefined ? 'none' : others.length + 1}`,
    {hint: 'name the file that armada apply is given'},
  )
}

function documentOf(documents: readonly Values[], kind: string, name: string, file: string): Values {
  const found = documents.find((each) => isOf(each, kind) && nameOf(each) === name)
  if (found !== undefined) return found
  throw new KkError('KK_ARMADA', `${file} has no document armada/${kind} named ${name}`, {
    hint: 'a group or the manifest names it: add it, or take the name out',
  })
}

function chartsOf(group: Values, documents: readonly Values[], file: string) {
  const names = dataOf(group).chart_group as readonly string[]
  return names.map((name) => ({group: nameOf(group), chart: documentOf(documents, 'Chart', name, file)}))
}

function dataOf({data}: Values): Values {
  return isMap(data) ? data : {}
}

/** Keys that kk has something of its own for: its gate waits for all that a release has. */
const READ = new Set('chart_name release namespace source values wait protected timeout'.split(' '))
const UPGRADE_READ = new Set(['no_hooks'])
const METADATA_READ = new Set('schema name labels annotations layeringDefinition storagePolicy'.split(' '))

interface Among {
  readonly file: string
  readonly home: string
  readonly prefix: string | undefined
  /** The releases that go before. */
  readonly needed: readonly ReadRelease[]
  /** All of the manifest, as it names them. */
  readonly released: ReadonlySet<string>
  readonly showSecrets: boolean
}

function readRelease(
  document: Values,
  {file, home, prefix, needed, released, showSecrets}: Among,
): ReadRelease {
  const data = dataOf(document)
  const {release, namespace, values} = data as {
    readonly release: string
    readonly namespace: string
    values: unknown
  }
  const name = prefix === undefined ? release : `${prefix}-${release}`
  const all = isMap(values) ? values : {}
  const kept = showSecrets ? {values: all, lost: []} : withoutSecrets(name, all)
  const chart = chartOf(data, {file, home})
  const seconds = Number(dig(data, 'wait', 'timeout') ?? data.timeout ?? 0)
  const timeout = timeOf(seconds)
  const upgrade = isMap(data.upgrade) ? data.upgrade : {}
  const metadata = isMap(document.metadata) ? document.metadata : {}
  return {
    release: {
      name,
      namespace,
      chart: {name: chart.name},
      values: kept.values,
      requires: [],
      // Each has the prefix of its own: the chart's words would bring all of them a second time.
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
            `where the chart ${chart.name} of ${name} comes from: ${withoutCredentials(digText(data, 'source', 'location') ?? '')}`,
          ]
        : []),
      ...(timeout === undefined && seconds > 0 ? [`timeout of ${name}: expected ${TIME_TITLE}`] : []),
      ...kept.lost,
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
  /** The releases that it says it requires. */
  readonly requires: readonly string[]
  /** Undefined for what Armada fetches, from git or as an archive. */
  readonly source?: ImportedSource
}

/** A local chart lies at `location`/`subpath`; its directory need not have its name. */
function chartOf({chart_name, source}: Values, {file, home}: Pick<Among, 'file' | 'home'>): ArmadaChart {
  const subpath = digText(source, 'subpath') ?? '.'
  const path = resolve(dirname(file), digText(source, 'location') ?? '.', subpath)
  const name = typeof chart_name === 'string' ? chart_name : basename(path)
  if (dig(source, 'type') !== 'local') return {name, requires: []}
  const place = relative(home, basename(path) === name ? dirname(path) : path)
  const requires = statedBy(path)
  return {name, requires, source: place === '' ? '.' : place.startsWith('.') ? place : `./${place}`}
}

/** Nothing of a chart that is not there, or cannot be read: who deploys the environment is told. */
function statedBy(directory: string): readonly string[] {
  try {
    return readChart(directory).requires.map(({release}) => release)
  } catch {
    return []
  }
}
