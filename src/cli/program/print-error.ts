import {asKkError, type ExitCode} from '../../errors.ts'
import {documentText} from '../../report/document.ts'
import {errorDocument, errorLine, errorText} from '../../report/error-text.ts'
import {paletteOf} from '../show/streams.ts'
import {tell} from '../show/tell.ts'

/**
 * Prints an error where its reader looks for it, and returns the exit code: as a document for `--output json`, unless
 * standard output has one.
 */
export function printError(error: unknown, argv: readonly string[], {hasDocument = false} = {}): ExitCode {
  const known = asKkError(error)
  const output = outputFormat(argv)
  if (output === 'ndjson') process.stdout.write(errorLine(known))
  if (!hasDocument && (output === 'json' || output === 'yaml'))
    process.stdout.write(documentText(errorDocument(known), output))
  tell('stderr', errorText(known, paletteOf('stderr', argv)))
  return known.exit
}

function outputFormat(argv: readonly string[]): string | undefined {
  const at = argv.findIndex((argument) => argument === '--output' || argument.startsWith('--output='))
  if (at === -1) return undefined
  return argv[at]!.includes('=') ? argv[at]!.slice('--output='.length) : argv[at + 1]
}
