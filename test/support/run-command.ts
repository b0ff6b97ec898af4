import {Config} from '@oclif/core'
import {openConsole} from '../../src/cli/console.ts'
import {oclifOptions} from '../../src/cli/oclif.ts'
import {palette} from '../../src/report/colour.ts'
import {type View, viewText} from '../../src/report/text/view.ts'
import {table} from '../../src/table.js'

/** What a command printed: on standard output, as a document, and on standard error. */
interface CommandOutput {
  readonly stdout: string
  readonly document: unknown
  readonly notes: readonly string[]
}

/** Runs a command in this process, with its errors thrown. */
export async function runCommand(id: string, argv: readonly string[]): Promise<CommandOutput> {
  let document: unknown
  let stdout = ''
  const notes: string[] = []
  const console = {
    ...openConsole([]),
    print(text: string) {
      stdout += text
    },
    say: (view: View) => void notes.push(viewText(view).trimEnd()),
    document(_: string, value: unknown, view?: (colours: ReturnType<typeof palette>) => View) {
      document = value
      if (view) stdout += viewText(view(palette(0)))
    },
  }
  const config = await Config.load(oclifOptions('0.0.0', console, table))
  await config.runCommand(id, [...argv])
  return {stdout, document, notes}
}
