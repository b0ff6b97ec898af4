import type {Unneeded} from '../../verbs/images/prune.ts'
import {table} from '../table.ts'

/** Returns what is not needed as a table, with its sum; images without a name by the beginning of their id. */
export function pruneText({images, files}: Unneeded): string {
  if (images.length + files.length === 0) return 'nothing is left of earlier builds'
  const rows = [
    ...images.map(({id, names, bytes}) => [names[0] ?? `layers of ${id.slice(0, 12)}`, sizeText(bytes)]),
    ...files.map(({path, bytes}) => [path, sizeText(bytes)]),
    ['together', sizeText(total({images, files}))],
  ]
  return table(rows, {right: [1]}).join('\n')
}

/** Returns the same as a document for programs. */
export function pruneDocument(unneeded: Unneeded): object {
  return {...unneeded, bytes: total(unneeded)}
}

function total({images, files}: Unneeded): number {
  return [...images, ...files].reduce((sum, {bytes}) => sum + bytes, 0)
}

function sizeText(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`
}
