import {Errors, run} from '@oclif/core'
import {type ExitCode, KkError} from './base/errors.ts'
import {ignoreBrokenStreams, openConsole} from './cli/console.ts'
import {oclifOptions} from './cli/oclif.ts'
import {withPresentName} from './cli/old-commands.ts'
import {asHelpCommand} from './cli/root-help.ts'
import {endBySignals} from './cli/signals.ts'
import {checkCommand, withFlagSuggestion} from './cli/suggestions.ts'
import {VERSION} from './cli/version.ts'
import {table} from './table.js'

/**
 * Runs one command line and resolves with the exit code; every error has been printed by then. `early` stops
 * listening to signals, and returns the signal that has arrived so far, if any.
 */
export async function main(
  words: readonly string[],
  early: () => NodeJS.Signals | undefined = () => undefined,
): Promise<ExitCode> {
  ignoreBrokenStreams()
  const console = openConsole(words)
  endBySignals(console, early)
  // Node would print the raw exception, which may quote a secret.
  process.on('uncaughtException', (error) => process.exit(console.fail(error)))
  const argv = withPresentName(words, console.say)
  try {
    checkCommand(argv, table)
    await run([...asHelpCommand(argv)], oclifOptions(VERSION, console, table))
    return (process.exitCode ?? 0) as ExitCode
  } catch (error) {
    if (error instanceof Errors.ExitError) return (error.oclif.exit ?? 0) as ExitCode
    return console.fail(usageError(error, argv))
  }
}

/** Returns a usage error for errors of oclif's parser; every other error is returned unchanged. */
function usageError(error: unknown, argv: readonly string[]): unknown {
  if (!(error instanceof Errors.CLIError)) return error
  const [summary = error.message] = error.message.split('\nSee more help with --help')
  const message = summary
    .replace(/^The following errors? occurred:/, '')
    .replaceAll(/\s*\n\s*/g, ' ')
    .trim()
  return withFlagSuggestion(
    error,
    argv,
    table,
    (hint) => new KkError('KK_USAGE', lowerFirst(message), {cause: error, hint}),
  )
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1)
}
