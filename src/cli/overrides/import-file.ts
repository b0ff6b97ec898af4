import type {Environment} from '../../environment/environment.ts'
import type {ImportedContent} from '../../overrides/service.ts'
import {importedText, isUnchangedImport} from '../../report/overrides/overrides-text.ts'
import type {OverrideBase} from '../../verbs/overrides/override-base.ts'
import {canAsk, confirm} from '../console.ts'
import {factsFile} from '../open/layers.ts'
import {readText} from './change.ts'
import type {ImportFlags} from './flags.ts'
import {openBase, storeBase, withOverrides} from './open-overrides.ts'

/**
 * Imports a file into the store; with `--dry-run` only returns what would change. Asks for confirmation on a
 * terminal.
 */
export async function importFile(
  file: string,
  flags: ImportFlags,
  say: (line: string) => void,
): Promise<ImportedContent> {
  const document = await readText(file, file)
  const options = {file: file === '-' ? 'standard input' : file, prune: flags.prune}
  const base = (environment: Environment | undefined) => activeBase(flags, environment)
  const send = (dryRun: boolean) =>
    withOverrides(flags, {changes: !dryRun, say, base}, (service) =>
      service.import(document, {...options, dryRun}),
    )
  const asks = canAsk() && !flags.yes && !flags['dry-run']
  if (flags['dry-run'] || asks) {
    const preview = await send(true)
    if (!asks || isUnchangedImport(preview)) return preview
    say(importedText(preview, true))
    await confirm('apply these changes?')
  }
  return send(false)
}

/** Opens the layers below; with an environment or facts, inactive charts are refused. */
async function activeBase(flags: ImportFlags, environment: Environment | undefined): Promise<OverrideBase> {
  if (!environment && factsFile(flags) === undefined) return storeBase(flags)
  return openBase(flags, environment, () => {})
}
