import {existsSync} from 'node:fs'
import {join} from 'node:path'
import {KkError} from '../base/errors.ts'
import {oncePerObject} from '../base/once.ts'
import type {Library} from './chart.ts'
import {isPackageOf} from './dependencies.ts'
import {type ChartFile, readChartFiles} from './files/chart-files.ts'
import {unpacked} from './files/package-files.ts'

/**
 * Returns the files of a chart that are not its libraries', as they were when they were asked for first. Throws `KK_CHART`. Copies of libraries under `charts/` are left out, for they may be older than the library (Helm compares names only); so is
 * `Chart.lock`, which says when they were copied.
 */
export const readOwnFiles = oncePerObject(ownFiles)

function ownFiles(chart: Library): readonly ChartFile[] {
  const files = readChartFiles(chart.directory)
  const isChart = existsSync(join(chart.directory, 'Chart.yaml'))
  if (isChart && !files.some(({path}) => path === 'Chart.yaml')) throw withoutChartYaml(chart.directory)
  return files.filter(({path}) => path !== 'Chart.lock' && !isCopy(path, chart))
}

/** Returns `KK_CHART` for a chart whose own rules drop what makes it one: helm's message names neither rule nor directory. */
function withoutChartYaml(directory: string): KkError {
  return new KkError(
    'KK_CHART',
    `${directory}/.helmignore leaves out Chart.yaml: helm would not take what is left for a chart`,
    {hint: 'correct its patterns; one that begins with "!" leaves out everything that it does not match'},
  )
}

function isCopy(path: string, chart: Library): boolean {
  const [folder, entry = ''] = path.split('/', 2)
  if (folder !== 'charts') return false
  return chart.libraries.some(({name}) => entry === name || isPackageOf(entry, name))
}

/** Returns true where a template of a chart, of a library or of a packed subchart has one of some words: `APIVersions`. */
export function mentions(chart: Library, ...words: readonly string[]): boolean {
  return mentioned(chart, words).size > 0
}

/** Returns those of some words that a template has; the files are read once for all, or not at all where they are known. */
export function mentioned<Word extends string>(chart: Library, words: readonly Word[]): ReadonlySet<Word> {
  const known = chart.known?.words
  const found = words.filter((word) =>
    known !== undefined && isNoted(word)
      ? known.includes(word)
      : readTemplates(chart).some((bytes) => bytes.includes(word)),
  )
  return new Set([...found, ...chart.libraries.flatMap((library) => [...mentioned(library, words)])])
}

/** Returns the words in templates of a chart but its libraries' that may hold a group or a version, one a line. */
export function templateWords(chart: Library): string {
  const words = readTemplates(chart).flatMap((bytes) => bytes.toString('latin1').match(/[\w.-]+/g) ?? [])
  return [...new Set(words.filter(isNoted))].join('\n')
}

/** Whether `templateWords` has a word wherever it stands, also as a part of another one. */
function isNoted(word: string): boolean {
  return /^[\w.-]*(?:\.|Version)[\w.-]*$/.test(word)
}

/** The templates of a chart but its libraries', those of packed subcharts with all that is packed with them. */
const readTemplates = oncePerObject((chart: Library) =>
  readOwnFiles(chart).flatMap(({path, bytes}) => {
    if (isPacked(path)) return [unpacked(bytes)]
    return path.includes('templates/') ? [bytes] : []
  }),
)

function isPacked(path: string): boolean {
  return path.startsWith('charts/') && path.endsWith('.tgz')
}
