import {Command, Flags, type Interfaces} from '@oclif/core'
import type {Console} from './console.ts'
import type {CommandTable} from './reference.ts'

/** The options that oclif hands to every command as `config.options`. */
export type OclifOptions = Interfaces.Options & {
  readonly console: Console
  readonly table: CommandTable
}

/** The base of every command: it has the console, and leaves errors to `main`, which prints each once. */
export abstract class KkCommand extends Command {
  static override baseFlags = {
    color: Flags.boolean({
      allowNo: true,
      summary: 'Colour or none, whatever the terminal and NO_COLOR say.',
      helpGroup: 'GLOBAL',
    }),
  }

  protected get console(): Console {
    return (this.config.options as OclifOptions).console
  }

  protected get table(): CommandTable {
    return (this.config.options as OclifOptions).table
  }

  protected override async catch(error: Error): Promise<never> {
    throw error
  }
}

/**
 * The command that `-- COMMAND...` hands to another program: all after the first `--`, a second one included, which
 * oclif would put first. Without any, the words that are no flags.
 */
export function commandWords(argv: readonly string[], words: readonly unknown[]): readonly string[] {
  const dashes = argv.indexOf('--')
  return dashes === -1 ? words.map(String) : argv.slice(dashes + 1)
}
