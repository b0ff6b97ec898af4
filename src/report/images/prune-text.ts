import type {Unneeded} from '../../verbs/images/prune.ts'
import {table} from '../table.ts'
import {sizeText} from '../text/size.ts'

/** Returns what is not needed as a table, with its sum; images without a name, which are many, as one line. */
export function pruneText({images, files}: Unneeded): string {
  if (images.length + files.length === 0) return 'nothing is left of earlier builds'
  const named = images.filter(({names}) => names.length > 0)
  const layers = images.filter(({names}) => names.length === 0)
  const rows = [
    ...named.map((image) => [image.names.join(', '), sizeText(sum([image]))]),
    ...(layers.length > 0
      ? [[`${layers.length} without a name, of earlier builds`, sizeText(sum(layers))]]
      : []),
    ...files.map((file) => [file.path, sizeText(sum([file]))]),
    ['together', sizeText(sum([...images, ...files]))],
  ]
  return table(rows, {right: [1]}).join('\n')
}

/** Returns the same as a document for programs. */
export function pruneDocument(unneeded: Unneeded): object {
  return {...unneeded, bytes: sum([...unneeded.images, ...unneeded.files])}
}

function sum(parts: readonly {readonly bytes: number}[]): number {
  return parts.reduce((total, {bytes}) => total + bytes, 0)
}
