import {Command, Flags, type Interfaces} from '@oclif/core'
import type {Console} from './console.ts'
import {OLD_TIMEOUT} from './flags.ts'
import type {CommandTable} from './reference.ts'

/** The options that oclif passes to every command as `config.options`. */
export type OclifOptions = Interfaces.Options & {
  readonly console: Console
  readonly table: CommandTable
}

/** The base class of all commands. It provides the console; `main` prints errors, each once. */
export abstract class KkCommand extends Command {
  static override baseFlags = {
    color: Flags.boolean({
      allowNo: true,
      summary: 'Enable or disable colors, regardless of the terminal and NO_COLOR.',
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

  /** Prints a note for each flag that is passed by an old spelling, an alias of the current one. */
  protected override warnIfFlagDeprecated(): void {
    // A command without flags has no record of them.
    for (const {name, aliases = []} of Object.values(this.ctor.flags ?? {}))
      for (const alias of aliases)
        if (this.argv.some((word) => word === `--${alias}` || word.startsWith(`--${alias}=`)))
          this.console.say(`note: --${alias} is deprecated; use --${name} instead`)
    for (const text of 'timeout' in (this.ctor.flags ?? {}) ? oldTimeouts(this.argv) : [])
      this.console.say(`note: --timeout ${text} is deprecated; use --timeout ${text}s instead`)
  }
}

/** Returns the timeouts of a command line that have no unit. */
function oldTimeouts(argv: readonly string[]): readonly string[] {
  return argv.flatMap((word, at) => {
    const [, text = argv[at + 1] ?? ''] = /^--timeout(?:=(.*))?$/.exec(word) ?? ['', '']
    return OLD_TIMEOUT.test(text) ? [text] : []
  })
}

/**
 * Returns the command after `--` that another program runs: everything after the first `--`, including a
 * second one, which oclif would put first. Without `--`, returns the words that are no flags.
 */
export function commandWords(argv: readonly string[], words: readonly unknown[]): readonly string[] {
  const dashes = argv.indexOf('--')
  return dashes === -1 ? words.map(String) : argv.slice(dashes + 1)
}
