import {Command, Flags} from '@oclif/core'
import type {Palette} from '../report/colour.ts'
import {type DocumentFormat, documentText} from '../report/document.ts'
import {paletteOf, tell} from './console.ts'

/** What every command of kk shares: where its output goes, and that errors are printed once, by `main`. */
export abstract class KkCommand extends Command {
  static override baseFlags = {
    color: Flags.boolean({
      allowNo: true,
      summary: 'Colour or none, whatever the terminal and NO_COLOR say.',
      helpGroup: 'GLOBAL',
    }),
  }

  /** Data, for standard output. */
  protected print(text: string): void {
    if (text !== '') process.stdout.write(ended(text))
  }

  /** Everything else, for standard error. */
  protected say(text: string): void {
    if (text !== '') tell('stderr', ended(text))
  }

  /** One document on standard output: for people, or as `--output json|yaml`, or on one line as `ndjson`. */
  protected document(
    format: 'text' | 'ndjson' | DocumentFormat,
    value: unknown,
    text: (palette: Palette) => string,
  ): void {
    if (format === 'text') tell('stdout', ended(text(this.palette('stdout'))))
    else if (format === 'ndjson') this.print(`${JSON.stringify(value)}\n`)
    else this.print(documentText(value, format))
  }

  protected palette(stream: 'stdout' | 'stderr'): Palette {
    return paletteOf(stream, this.argv)
  }

  protected override async catch(error: Error): Promise<never> {
    throw error
  }
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

/**
 * The command that `-- COMMAND...` hands to another program: all after the first `--`, a second one included, which
 * oclif would put first. Without any, the words that are no flags.
 */
export function commandWords(argv: readonly string[], words: readonly unknown[]): readonly string[] {
  const dashes = argv.indexOf('--')
  return dashes === -1 ? words.map(String) : argv.slice(dashes + 1)
}
