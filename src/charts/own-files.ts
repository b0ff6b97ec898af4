import {existsSync} from 'node:fs'
import {join} from 'node:path'
import {KkError} from '../base/errors.ts'
import {oncePerObject} from '../base/once.ts'
import type {Library} from './chart.ts'
import {isChartPackage} from './dependencies.ts'
import {type ChartFile, readChartFiles} from './files/chart-files.ts'
import {unpacked} from './files/package-files.ts'

/**
 * Returns the files of a chart without its libraries, as of the first call. Throws `KK_CHART`. Copies of
 * libraries under `charts/` are omitted, because they may be older than the library (Helm compares names
 * only); so is `Chart.lock`, which contains the time of the copies.
 */
export const readOwnFiles = oncePerObject(ownFiles)

function ownFiles(chart: Library): readonly ChartFile[] {
  const files = readChartFiles(chart.directory)
  const isChart = existsSync(join(chart.directory, 'Chart.yaml'))
  if (isChart && !files.some(({path}) => path === 'Chart.yaml')) throw withoutChartYaml(chart.directory)
  return files.filter(({path}) => path !== 'Chart.lock' && !isCopy(path, chart))
}

/**
 * Returns `KK_CHART` for a chart whose own rules exclude Chart.yaml, because helm's message names neither
 * rule nor directory.
 */
function withoutChartYaml(directory: string): KkError {
  return new KkError(
    'KK_CHART',
    `${directory}/.helmignore excludes Chart.yaml: helm would not accept the rest as a chart`,
    {hint: 'correct its patterns; one that begins with "!" excludes everything that it does not match'},
  )
}

function isCopy(path: string, chart: Library): boolean {
  const [folder, entry = ''] = path.split('/', 2)
  if (folder !== 'charts') return false
  return chart.libraries.some(({name}) => entry === name || isChartPackage(entry, name))
}

/**
 * Returns true if a template of a chart, of a library or of a packed subchart contains one of these words:
 * `APIVersions`.
 */
export function mentions(chart: Library, ...words: readonly string[]): boolean {
  return mentioned(chart, words).size > 0
}

/**
 * Returns those of the words that a template contains. Files are read at most once, and not at all if the
 * cached facts of the chart suffice.
 */
export function mentioned<Word extends string>(chart: Library, words: readonly Word[]): ReadonlySet<Word> {
  const knownWords = chart.known?.words
  const ownWords = words.filter((word) =>
    knownWords !== undefined && isNoted(word)
      ? knownWords.includes(word)
      : readTemplates(chart).some((bytes) => bytes.includes(word)),
  )
  return new Set([...ownWords, ...chart.libraries.flatMap((library) => [...mentioned(library, words)])])
}

/**
 * Returns the words in templates of a chart without its libraries that may contain a group or a version, one
 * a line.
 */
export function templateWords(chart: Library): string {
  const words = readTemplates(chart).flatMap((bytes) => bytes.toString('latin1').match(/[\w.-]+/g) ?? [])
  return [...new Set(words.filter(isNoted))].join('\n')
}

/** Returns true if `templateWords` includes a word at any position, also as a part of another one. */
function isNoted(word: string): boolean {
  return /^[\w.-]*(?:\.|Version)[\w.-]*$/.test(word)
}

/** Returns the templates of a chart without its libraries; of packed subcharts, all files. */
const readTemplates = oncePerObject((chart: Library) =>
  readOwnFiles(chart).flatMap(({path, bytes}) => {
    if (isPacked(path)) return [unpacked(bytes)]
    return path.includes('templates/') ? [bytes] : []
  }),
)

function isPacked(path: string): boolean {
  return path.startsWith('charts/') && path.endsWith('.tgz')
}
