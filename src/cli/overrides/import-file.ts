import {importStore} from '../../overrides/user/import.ts'
import type {OverrideChange} from '../../overrides/user/store.ts'
import {type ImportedOverrides, importedText} from '../../report/overrides/imported-text.ts'
import {whoAmI} from '../../state/processes/who-am-i.ts'
import {canAsk, confirm} from '../confirm/confirm.ts'
import {NO_STORE, namedEnvironment, type OverridesFlags, onStore} from './open-overrides.ts'
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
): Promise<readonly ImportedOverrides[]> {
  const text = await readText(file, file)
  const how = {who: whoAmI(), file: file === '-' ? 'standard input' : file, prune: flags.prune}
  const environment = await namedEnvironment(flags)
  const asks = canAsk() && !flags.yes && !flags['dry-run']
  if (flags['dry-run'] || asks) {
    const would = await onStore(flags, {changes: false, say, environment}, async (store) =>
      (await importStore(store ?? NO_STORE, text, {...how, dryRun: true})).map(imported),
    )
    if (!asks || would.length === 0) return would
    say(importedText(would, true))
    await confirm('change this?')
  }
  return onStore(flags, {changes: true, say, environment}, async (store) =>
    (await importStore(store ?? NO_STORE, text, how)).map(imported),
  )
}

function imported({name, namespace, userOverrides}: OverrideChange): ImportedOverrides {
  return {name, namespace, action: userOverrides === null ? 'delete' : 'set'}
}
