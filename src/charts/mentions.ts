import type {Library} from './chart.ts'
import {readOwnFiles} from './own-files.ts'

/** Whether a template of a chart, or of a library of it, has one of some words: `APIVersions`. A packed subchart may have it. */
export function mentions(chart: Library, ...words: readonly string[]): boolean {
  return mentioned(chart, words).size > 0
}

/** Which of some words one has; the files are read once for all. */
export function mentioned<Word extends string>(chart: Library, words: readonly Word[]): ReadonlySet<Word> {
  const own = readOwnFiles(chart).filter(({path}) => isPacked(path) || path.includes('templates/'))
  const found = words.filter((word) => own.some(({path, bytes}) => isPacked(path) || bytes.includes(word)))
  return new Set([...found, ...chart.libraries.flatMap((library) => [...mentioned(library, words)])])
}

function isPacked(path: string): boolean {
  return path.startsWith('charts/') && path.endsWith('.tgz')
}
