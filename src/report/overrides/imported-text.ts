import {plainLine} from '../text/plain.ts'

/** Overrides that an import writes or deletes. */
export interface ImportedOverrides {
  readonly name: string
  readonly namespace: string
  readonly action: 'set' | 'delete'
}

/** What an import changed, or would change. */
export function importedText(changed: readonly ImportedOverrides[], isDryRun: boolean): string {
  if (changed.length === 0) return 'the store has these overrides already\n'
  const verb = isDryRun ? 'would ' : ''
  const lines = changed.map(
    ({name, namespace, action}) =>
      `${verb}${action} overrides of ${plainLine(name)} in ${plainLine(namespace)}\n`,
  )
  return lines.join('')
}
