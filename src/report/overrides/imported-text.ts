import type {ImportedContent} from '../../overrides/service.ts'
import {plainLine} from '../text/plain.ts'

/** Whether an import finds nothing to do. */
export function isNothing({changed, secrets, becomes}: ImportedContent): boolean {
  return changed.length + secrets.length === 0 && becomes === undefined
}

/** What an import changed, or would change. */
export function importedText(imported: ImportedContent, isDryRun: boolean): string {
  if (isNothing(imported)) return 'the store has all of this already\n'
  const {changed, secrets, becomes} = imported
  const verb = isDryRun ? 'would ' : ''
  const place = ({name, namespace}: ImportedContent['secrets'][number]) =>
    `${plainLine(name)} in ${plainLine(namespace)}`
  const lines = [
    ...changed.map((each) => `${verb}${each.action} overrides of ${place(each)}\n`),
    ...secrets.map((each) => `${verb}set the secret ${place(each)}\n`),
    ...(becomes === undefined ? [] : [`${isDryRun ? 'would become' : 'became'} the store ${becomes}\n`]),
  ]
  return lines.join('')
}
