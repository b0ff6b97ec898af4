import {dig} from '../../base/dig.ts'
import {mergeValues} from '../../base/merge.ts'
import {underscored} from '../../base/underscored.ts'
import {isMap, type Values} from '../../base/values.ts'
import type {DialectChart} from '../../charts/dialect.ts'
import {mergedValues} from '../../overrides/layers.ts'
import {openstackRelease, releaseOfImage, releaseText} from '../../plan/versions/openstack-release.ts'
import {type ReleaseId, releaseName} from '../../release.ts'
import {formatPosition} from '../positioned-problems.ts'
import type {Prepared, PreparedRelease} from '../prepare.ts'
import {imageTags, isWritten} from '../setting-notes.ts'
import type {OptionList} from './option-lists.ts'
import {didYouMean, type KnownOptions, optionProblems} from './option-problems.ts'
import type {SettingProblem} from './setting-problem.ts'

export type Settings = Pick<Prepared, 'environment' | 'releases' | 'plugins' | 'optionLists'>

/**
 * Returns what users set below `conf` of kk's charts, also of a group of nodes, and nothing reads: files that
 * the chart does not write, sections and options that the service does not register; and deprecated options.
 * The list of a service is read only if users set its `conf`.
 */
export async function confProblems(settings: Settings): Promise<readonly SettingProblem[]> {
  const problems = releasesWithConf(settings).map(async (sources) =>
    sources.dialectChart.dialect === 'kk' ? releaseProblems(sources, await readImage(sources)) : [],
  )
  return (await Promise.all(problems)).flat()
}

/** What `confProblems` compares. */
export interface ConfCoverage {
  /** The number of options that are compared with the list of their service. */
  readonly options: number
  /** The places whose options have no list: `nova: conf.api_paste`. */
  readonly unlisted: readonly string[]
}

/** Returns what `confProblems` compares, and what it cannot compare. */
export async function confCoverage(settings: Settings): Promise<ConfCoverage> {
  const coverages = releasesWithConf(settings).map(async (sources) => {
    const {release, place, conf, chart, dialectChart} = sources
    const image = dialectChart.dialect === 'kk' ? await readImage(sources) : undefined
    const files = image && fileNames(chart.name, dialectChart.values, image.values)
    return Object.entries(conf).map(([file, sections]) => {
      if (image && isMap(sections) && knownOptions(sources, file, image))
        return Object.values(sections).reduce<number>((sum, each) => sum + Object.keys(each ?? {}).length, 0)
      return files?.includes(file) === false ? 0 : `${releaseName(release)}: ${[...place, file].join('.')}`
    })
  })
  const places = (await Promise.all(coverages)).flat()
  return {
    options: places.reduce<number>((sum, each) => sum + (typeof each === 'number' ? each : 0), 0),
    unlisted: places.filter((each) => typeof each === 'string'),
  }
}

/** Returns the places `conf` of releases, and of their groups of nodes, below which users set something. */
function releasesWithConf(settings: Settings): readonly ReleaseSources[] {
  return [...settings.releases].flatMap(([release, {chart, layers}]) => {
    const written = layers.filter(isWritten).map(({values}) => values)
    const groups = written.flatMap((values) => Object.keys(mapAt(values, 'node_groups')))
    const places = [['conf'], ...[...new Set(groups)].map((group) => ['node_groups', group, 'conf'])]
    return places.flatMap((place) => {
      const set = written.map((values) => dig(values, ...place)).filter(isMap)
      if (set.length === 0) return []
      const dialectChart = settings.plugins.dialectChart(chart)
      return [{release, place, conf: mergeValues(...set), chart, layers, dialectChart, settings}]
    })
  })
}

interface ReleaseSources extends Pick<PreparedRelease, 'chart' | 'layers'> {
  readonly release: ReleaseId
  /** The path of `conf`. */
  readonly place: readonly string[]
  /** What users set there. */
  readonly conf: Values
  readonly dialectChart: DialectChart
  readonly settings: Settings
}

function releaseProblems(sources: ReleaseSources, image: ServiceImage): readonly SettingProblem[] {
  const {conf, chart, dialectChart, settings} = sources
  const files = fileNames(chart.name, dialectChart.values, image.values)
  const allowed = new Set(settings.environment.allowedConf)
  const isAllowed = (path: readonly string[]) =>
    [path.slice(0, 2), path].some((each) => allowed.has(each.join('.')))
  const ofUnknown = image.isOwn ? 'problem' : 'warning'
  return Object.entries(conf).flatMap(([file, sections]): readonly SettingProblem[] => {
    if (sections === null || dialectChart.templates?.includes(`.Values.conf.${file}`)) return []
    if (!files.includes(file)) {
      const meant = didYouMean(file, files) || `; there are: ${files.toSorted().join(', ')}`
      return [settingProblem(sources, [file], {level: 'problem', text: `no such file${meant}`})]
    }
    const known = knownOptions(sources, file, image)
    if (!known || !isMap(sections)) return []
    return Object.entries(sections)
      .flatMap(([section, options]) => (isMap(options) ? optionProblems(section, options, known) : []))
      .map(
        ({isUnknown, ...each}) =>
          ({...each, level: isUnknown ? ofUnknown : 'info', path: [file, ...each.path]}) as const,
      )
      .filter(({path}) => !isAllowed(path))
      .map(({path, ...each}) => settingProblem(sources, path, each))
  })
}

/** Returns the problem of a path below `conf`. */
function settingProblem(
  {release, place, layers}: ReleaseSources,
  path: readonly string[],
  {level, text}: Pick<SettingProblem, 'level'> & {readonly text: string},
): SettingProblem {
  return {
    ...{release, level, subject: `${releaseName(release)}: nothing reads what conf sets`},
    what: `${formatPosition([...place, ...path], layers)}${[...place, ...path].join('.')}: ${text}`,
    ...(path.length > 1 && level !== 'info' && {allow: path.join('.')}),
  }
}

/**
 * Returns what is known of the options of a file; undefined without a list, and for a file that oslo.config
 * does not read, or that a user adds.
 */
function knownOptions(
  {dialectChart, layers, conf}: ReleaseSources,
  file: string,
  {values, list, others}: ServiceImage,
): KnownOptions | undefined {
  const {format = 'oslo', path = ''} = mapAt(values, 'files', file)
  // The library makes no variables of secrets in a file of the format ini.
  const isOslo = format === 'oslo' || (format === 'ini' && String(path).includes('.conf.d/'))
  if (!list || !isOslo || !isMap(dig(dialectChart.at('files'), file))) return undefined
  const bases = [dialectChart.values, ...layers.filter((each) => !isWritten(each)).map((each) => each.values)]
  return {
    ...{list: list(), others, templates: dialectChart.templates ?? ''},
    base: mergeValues(...bases.map((each) => mapAt(each, 'conf', file))),
    file: mergeValues(mapAt(values, 'conf', file), mapAt(conf, file)),
  }
}

/** Returns the keys of the files that a chart writes with these values. */
function writtenFiles(chart: string, values: Values): readonly string[] {
  const components = Object.keys(mapAt(values, 'components'))
  const served = components.filter((component) => dig(values, 'components', component, 'wsgi'))
  return [
    ...Object.keys(mapAt(values, 'files')),
    ...served.map((component) => underscored(`${chart}_${component}_uwsgi`)),
  ]
}

/** Returns the keys of the files of a chart: also of those that it writes with other values only. */
function fileNames(chart: string, defaults: Values, values: Values): readonly string[] {
  const written = [defaults, values].flatMap((each) => writtenFiles(chart, each))
  return [...new Set([...written, ...Object.keys(mapAt(defaults, 'conf'))])]
}

function mapAt(values: Values, ...path: readonly string[]): Values {
  const value = dig(values, ...path)
  return isMap(value) ? value : {}
}

/** The image of a service. */
interface ServiceImage {
  /** Whether kk builds it. */
  readonly isOwn: boolean
  /** Its options; undefined if kk has no list for its OpenStack release. */
  readonly list: (() => OptionList) | undefined
  /** The options in other OpenStack releases. */
  readonly others: ReadonlyMap<string, () => OptionList>
  /** All values of the release. */
  readonly values: Values
}

async function readImage({chart, layers, dialectChart, settings}: ReleaseSources): Promise<ServiceImage> {
  const values = mergeValues(dialectChart.values, mergedValues(layers))
  const images = mergeValues(mapAt(values, 'global', 'images'), mapAt(values, 'images'))
  const {namespace = 'kk', distro = '', type = '', tag = ''} = images
  const keys = imageTags(chart.name, dialectChart)
  const references = Object.entries(mapAt(images, 'tags'))
    .filter(([key]) => keys.includes(underscored(key)))
    .map(([, reference]) => String(reference))
  const isOwn =
    distro === '' &&
    type === '' &&
    /(?:^|\/)kk$/.test(String(namespace)) &&
    references.every((reference) => /(?:^|\/)kk\/[^/]+$/.test(reference))
  const [stated] = [...references.map(releaseOfImage), openstackRelease(String(tag))].filter(
    (each) => each !== undefined,
  )
  const others = new Map(await settings.optionLists?.(chart.name))
  const release = stated ? releaseText(stated) : chart.appVersion
  const list = others.get(release)
  others.delete(release)
  return {isOwn, list, others, values}
}
