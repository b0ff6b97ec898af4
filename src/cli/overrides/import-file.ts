import type {Environment} from '../../environment/environment.ts'
import {expectActive} from '../../overrides/system/active.ts'
import {type Imported, importStore} from '../../overrides/user/import.ts'
import {type ImportedDocument, importedText, isNothing} from '../../report/overrides/imported-text.ts'
import {whoAmI} from '../../state/processes/who-am-i.ts'
import {canAsk, confirm} from '../confirm/confirm.ts'
import {factsFile} from '../open/facts.ts'
import {baseOf, NO_STORE, namedEnvironment, type OverridesFlags, onStore} from './open-overrides.ts'
import {readText} from './update.ts'

interface ImportFlags extends OverridesFlags {
  readonly prune: boolean
  readonly 'dry-run': boolean
  readonly yes: boolean
}

/** Imports a file into the store, or with `--dry-run` only says what would change. Asks on a terminal. */
export async function importFile(
  file: string,
  flags: ImportFlags,
  say: (line: string) => void,
): Promise<ImportedDocument> {
  const text = await readText(file, file)
  const environment = await namedEnvironment(flags)
  const how = {
    who: whoAmI(),
    file: file === '-' ? 'standard input' : file,
    prune: flags.prune,
    expectPlace: await placesOf(flags, environment),
  }
  const asks = canAsk() && !flags.yes && !flags['dry-run']
  if (flags['dry-run'] || asks) {
    const would = await onStore(flags, {changes: false, say, environment}, async (store) =>
      documentOf(await importStore(store ?? NO_STORE, text, {...how, dryRun: true})),
    )
    if (!asks || isNothing(would)) return would
    say(importedText(would, true))
    await confirm('change this?')
  }
  return onStore(flags, {changes: true, say, environment}, async (store) =>
    documentOf(await importStore(store ?? NO_STORE, text, how)),
  )
}

/** Refuses charts that are not active; takes any where neither an environment nor facts say which are. */
async function placesOf(
  flags: ImportFlags,
  environment: Environment | undefined,
): Promise<(name: string, namespace: string) => void> {
  if (!environment && factsFile(flags) === undefined) return () => {}
  const active = await (await baseOf(flags, environment, () => {})).active()
  return active.length === 0 ? () => {} : (name, namespace) => expectActive(active, name, namespace)
}

function documentOf({overrides, secrets, becomes}: Imported): ImportedDocument {
  const changed = overrides.map(
    ({name, namespace, userOverrides}) =>
      ({name, namespace, action: userOverrides === null ? 'delete' : 'set'}) as const,
  )
  return {changed, secrets, ...(becomes !== undefined && {becomes})}
}
