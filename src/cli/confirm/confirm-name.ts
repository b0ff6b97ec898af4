import {createInterface} from 'node:readline/promises'

/** Asks on standard error for a name to be typed; false unless it was, letter by letter. */
export async function typedName(question: string, name: string): Promise<boolean> {
  const terminal = createInterface({input: process.stdin, output: process.stderr})
  const cancelled = new Promise<undefined>((resolve) => terminal.once('close', () => resolve(undefined)))
  const answer = await Promise.race([terminal.question(`${question}: type "${name}" `), cancelled])
  terminal.close()
  if (answer === undefined) process.stderr.write('\n')
  return answer?.trim() === name
}
