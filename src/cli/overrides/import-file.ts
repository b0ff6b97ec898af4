import type {Environment} from '../../environment/environment.ts'
import type {ImportedContent} from '../../overrides/service.ts'
import {importedText, isNothing} from '../../report/overrides/overrides-text.ts'
import type {OverrideBase} from '../../verbs/overrides/override-base.ts'
import {canAsk, confirm} from '../console.ts'
import {factsFile} from '../open/layers.ts'
import {readText} from './change.ts'
import type {ImportFlags} from './flags.ts'
import {baseOf, onOverrides, storeBase} from './open-overrides.ts'

/** Imports a file into the store, or with `--dry-run` only says what would change. Asks on a terminal. */
export async function importFile(
  file: string,
  flags: ImportFlags,
  say: (line: string) => void,
): Promise<ImportedContent> {
  const document = await readText(file, file)
  const how = {file: file === '-' ? 'standard input' : file, prune: flags.prune}
  const base = (environment: Environment | undefined) => activeBase(flags, environment)
  const send = (dryRun: boolean) =>
    onOverrides(flags, {changes: !dryRun, say, base}, (service) => service.import(document, {...how, dryRun}))
  const asks = canAsk() && !flags.yes && !flags['dry-run']
  if (flags['dry-run'] || asks) {
    const would = await send(true)
    if (!asks || isNothing(would)) return would
    say(importedText(would, true))
    await confirm('change this?')
  }
  return send(false)
}

/** Charts that are not active are refused where an environment or facts say which are. */
async function activeBase(flags: ImportFlags, environment: Environment | undefined): Promise<OverrideBase> {
  if (!environment && factsFile(flags) === undefined) return storeBase(flags)
  return baseOf(flags, environment, () => {})
}
