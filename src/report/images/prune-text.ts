import type {Unneeded} from '../../verbs/images/prune.ts'
import {table} from '../table.ts'
import {sizeText} from '../text/size.ts'
import type {View} from '../text/view.ts'

/**
 * Returns what is not needed as a table, with its sum; images without a name, which are many, as one line.
 */
export function pruneText({images, files}: Unneeded): View {
  if (images.length + files.length === 0) return 'nothing is left of earlier builds'
  const named = images.filter(({names}) => names.length > 0)
  const layers = images.filter(({names}) => names.length === 0)
  const rows = [
    ...named.map(({names, bytes}) => ({name: names.join(', '), bytes})),
    ...(layers.length > 0
      ? [{name: `${layers.length} without a name, of earlier builds`, bytes: sum(layers)}]
      : []),
    ...files.map(({path: name, bytes}) => ({name, bytes})),
    {name: 'together', bytes: sum([...images, ...files])},
  ]
  return table(rows, [({name}) => name, {cell: ({bytes}) => sizeText(bytes), align: 'right', whole: true}])
}

/** Returns the same as a document for programs. */
export function pruneDocument(unneeded: Unneeded): object {
  return {...unneeded, bytes: sum([...unneeded.images, ...unneeded.files])}
}

function sum(parts: readonly {readonly bytes: number}[]): number {
  return parts.reduce((total, {bytes}) => total + bytes, 0)
}
