import fs from 'node:fs'
import {syncBuiltinESMExports} from 'node:module'
import {onTestFinished} from 'vitest'

/**
 * Notes the files below a directory that this process opens, until the test ends, in the order in which they
 * are opened.
 */
export function countOpened(directory: string): readonly string[] {
  const seen: string[] = []
  const note = <Name extends string>(owner: Readonly<Record<Name, unknown>>, names: readonly Name[]) => {
    for (const name of names) {
      const original = owner[name] as (...args: unknown[]) => unknown
      const noting = (...args: unknown[]) => {
        if (String(args[0]).startsWith(directory)) seen.push(String(args[0]))
        return original(...args)
      }
      Object.assign(owner, {[name]: noting})
      onTestFinished(() => {
        Object.assign(owner, {[name]: original})
        syncBuiltinESMExports()
      })
    }
  }
  note(fs, ['readFileSync', 'openSync', 'readFile', 'open', 'createReadStream'])
  note(fs.promises, ['readFile', 'open'])
  syncBuiltinESMExports()
  return seen
}
