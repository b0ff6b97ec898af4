import {KkError} from '../../errors.ts'
import type {OverrideUpdate} from '../../overrides/service.ts'
import {readNamedFile, readStandardInput} from '../../state/files/named-file.ts'

export interface UpdateFlags {
  readonly 'reuse-values': boolean
  readonly 'reset-values': boolean
  readonly values?: readonly string[] | undefined
  readonly set?: readonly string[] | undefined
  readonly 'set-string'?: readonly string[] | undefined
}

/**
 * The update that flags mean. Files come before expressions, whatever their order on the command line. Rejects with
 * `KK_FILE` for a file that cannot be read, and `KK_USAGE` when nothing is given: that would reset everything.
 */
export async function requestedUpdate(flags: UpdateFlags): Promise<OverrideUpdate> {
  const {values = [], set = [], 'set-string': setString = []} = flags
  if (values.length + set.length + setString.length === 0 && !flags['reset-values']) throw nothingGiven()
  const files = []
  for (const file of values)
    files.push({
      source: file === '-' ? 'standard input' : file,
      text: await readText(file, `--values ${file}`),
    })
  return {flag: flags['reuse-values'] ? 'reuse' : 'reset', values: {files, set, setString}}
}

/** The text of a file, or of standard input for `-`. Rejects with `KK_FILE`, which names it as `what`. */
export async function readText(file: string, what: string): Promise<string> {
  if (file === '-') return readStandardInput(what)
  return readNamedFile(file, {what, hint: 'check the path and its permissions; nothing was changed'})
}

function nothingGiven(): KkError {
  return new KkError('KK_USAGE', 'expected overrides, got none', {
    hint: 'give --values, --set or --set-string; --reset-values alone takes all overrides away',
  })
}
