import {oncePerObject} from '../state/once.ts'
import type {Library} from './chart.ts'
import {isPackageOf} from './dependencies.ts'
import {type ChartFile, readChartFiles} from './files/chart-files.ts'

/**
 * Returns the files of a chart that are not its libraries', as they were when they were asked for first. Copies of libraries under `charts/` are left out, for they may be older than the library (Helm compares names only); so is
 * `Chart.lock`, which says when they were copied.
 */
export const readOwnFiles = oncePerObject(ownFiles)

function ownFiles(chart: Library): readonly ChartFile[] {
  return readChartFiles(chart.directory).filter(({path}) => path !== 'Chart.lock' && !isCopy(path, chart))
}

function isCopy(path: string, chart: Library): boolean {
  const [folder, entry = ''] = path.split('/', 2)
  if (folder !== 'charts') return false
  return chart.libraries.some(({name}) => entry === name || isPackageOf(entry, name))
}

/** Returns true where a template of a chart, or of a library of it, has one of some words: `APIVersions`. A packed subchart may have it. */
export function mentions(chart: Library, ...words: readonly string[]): boolean {
  return mentioned(chart, words).size > 0
}

/** Returns those of some words that a template has; the files are read once for all. */
export function mentioned<Word extends string>(chart: Library, words: readonly Word[]): ReadonlySet<Word> {
  const own = readOwnFiles(chart).filter(({path}) => isPacked(path) || path.includes('templates/'))
  const found = words.filter((word) => own.some(({path, bytes}) => isPacked(path) || bytes.includes(word)))
  return new Set([...found, ...chart.libraries.flatMap((library) => [...mentioned(library, words)])])
}

function isPacked(path: string): boolean {
  return path.startsWith('charts/') && path.endsWith('.tgz')
}
