import {plainLine} from '../text/plain.ts'

interface Place {
  readonly name: string
  readonly namespace: string
}

/** What an import writes or deletes. */
export interface ImportedDocument {
  readonly changed: readonly (Place & {readonly action: 'set' | 'delete'})[]
  /** Generated secrets that are added or replaced. */
  readonly secrets: readonly Place[]
  /** The id of the store that a new one becomes. */
  readonly becomes?: string
}

/** Whether an import finds nothing to do. */
export function isNothing({changed, secrets, becomes}: ImportedDocument): boolean {
  return changed.length + secrets.length === 0 && becomes === undefined
}

/** What an import changed, or would change. */
export function importedText(imported: ImportedDocument, isDryRun: boolean): string {
  if (isNothing(imported)) return 'the store has all of this already\n'
  const {changed, secrets, becomes} = imported
  const verb = isDryRun ? 'would ' : ''
  const place = ({name, namespace}: Place) => `${plainLine(name)} in ${plainLine(namespace)}`
  const lines = [
    ...changed.map((each) => `${verb}${each.action} overrides of ${place(each)}\n`),
    ...secrets.map((each) => `${verb}set the secret ${place(each)}\n`),
    ...(becomes === undefined ? [] : [`${isDryRun ? 'would become' : 'became'} the store ${becomes}\n`]),
  ]
  return lines.join('')
}
