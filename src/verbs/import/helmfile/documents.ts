import {basename, dirname, resolve} from 'node:path'
import {problemsError} from '../../../environment/problems.ts'
import {validate} from '../../../environment/validate.ts'
import {refuseAliasBomb} from '../../../helm/yaml/aliasing.ts'
import type {Source} from '../../../helm/yaml/error.ts'
import type {Node} from '../../../helm/yaml/node.ts'
import {parseTrees} from '../../../helm/yaml/tree.ts'
import {treeValue} from '../../../helm/yaml.ts'
import {asWritten} from './as-written.ts'
import type {Helmfile} from './helmfile.ts'
import {withoutCredentials} from './lost-keys.ts'
import {HELMFILE_SCHEMA} from './schema.ts'
import {withoutNulls} from './without-nulls.ts'

/** A helmfile, or one of those below it. */
export interface HelmfileDocument {
  /** Its paths start here. */
  readonly directory: string
  readonly state: Helmfile
}

/** As `helmfile build` writes it above each file that it has read. */
const SOURCE = /^---\n# {2}Source: (.+)$/gm

/** The documents of a helmfile, each with its place. Throws `KK_YAML`, and `KK_FILE` for what helmfile would not read. */
export function helmfileDocuments(text: string, file: string, isBuilt: boolean): readonly HelmfileDocument[] {
  // The lines of what helmfile prints are none of the file.
  const source = {file: isBuilt ? 'the output of helmfile build' : file, text}
  const built = [...text.matchAll(SOURCE)]
  return parseTrees(source).flatMap((root) => {
    const state = stateOf(source, root)
    if (state === null) return []
    const path = built.findLast(({index}) => index < root.offset)?.[1] ?? basename(file)
    return {directory: dirname(resolve(dirname(file), path)), state}
  })
}

function stateOf(source: Source, root: Node): Helmfile | null {
  refuseAliasBomb(source, root)
  const value = treeValue(source, asWritten(source, root))
  const problems = validate(HELMFILE_SCHEMA, value).map((each) => ({
    ...each,
    got: withoutCredentials(each.got),
  }))
  if (problems.length > 0)
    throw problemsError({source, root, problems, code: 'KK_FILE', schema: "helmfile's documentation"})
  return withoutNulls(value) as Helmfile | null
}
