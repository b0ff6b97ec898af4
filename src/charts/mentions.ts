import type {Library} from './chart.ts'
import {readOwnFiles} from './own-files.ts'

/** Whether a template of a chart, or of a library of it, has a word: `APIVersions`. A packed subchart may have it. */
export function mentions(chart: Library, word: string): boolean {
  const isMentioned = readOwnFiles(chart).some(
    ({path, bytes}) => isPacked(path) || (path.includes('templates/') && bytes.includes(word)),
  )
  return isMentioned || chart.libraries.some((library) => mentions(library, word))
}

function isPacked(path: string): boolean {
  return path.startsWith('charts/') && path.endsWith('.tgz')
}
