import {dirname, resolve} from 'node:path'
import type {Helmfile} from './helmfile.ts'
import {readMaps} from './read-maps.ts'

/** A helmfile, or one of those below it. */
export interface HelmfileDocument {
  /** Its paths start here. */
  readonly directory: string
  readonly state: Helmfile
}

/** As `helmfile build` writes it above each file that it has read. */
const SOURCE = /^---\n# {2}Source: (.+)$/m

/** The documents of a helmfile, each with its place. Throws `KK_YAML`. */
export function helmfileDocuments(text: string, file: string): readonly HelmfileDocument[] {
  // Split keeps what the group matched: text, place, text, place, text.
  const [first = '', ...parts] = text.split(new RegExp(SOURCE, 'gm'))
  const found = readIn(first, file)
  for (let index = 0; index < parts.length; index += 2)
    found.push(...readIn(parts[index + 1]!, resolve(dirname(file), parts[index]!)))
  return found
}

function readIn(text: string, file: string): HelmfileDocument[] {
  const directory = dirname(resolve(file))
  return readMaps(text, file).map((state) => ({directory, state: state as Helmfile}))
}
