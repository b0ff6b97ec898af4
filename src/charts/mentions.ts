import type {Library} from './chart.ts'
import {readOwnFiles} from './own-files.ts'

/** Whether a template of a chart, or of a library of it, has a word: `APIVersions`; packed subcharts are not looked into. */
export function mentions(chart: Library, word: string): boolean {
  const isMentioned = readOwnFiles(chart).some(
    ({path, bytes}) => path.includes('templates/') && bytes.includes(word),
  )
  return isMentioned || chart.libraries.some((library) => mentions(library, word))
}
