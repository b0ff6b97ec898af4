import {createInterface} from 'node:readline/promises'
import {KkError} from '../../errors.ts'

/** Whether a question can be asked: a terminal on both sides. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

/**
 * For what is never done unasked: asks where somebody can be asked, and else rejects with `KK_UNCONFIRMED` and the hint
 * of how to confirm it on the command line.
 */
export async function requireConfirmation(question: string, hint: string): Promise<void> {
  if (canAsk()) return confirm(question)
  throw new KkError('KK_UNCONFIRMED', 'nobody can be asked here; nothing was changed', {hint})
}

/** Asks on standard error; rejects with `KK_UNCONFIRMED` unless the answer is yes. */
export async function confirm(question: string): Promise<void> {
  const terminal = createInterface({input: process.stdin, output: process.stderr})
  const cancelled = new Promise<undefined>((resolve) => terminal.once('close', () => resolve(undefined)))
  const answer = await Promise.race([terminal.question(`${question} [y/N] `), cancelled])
  terminal.close()
  // Ctrl-C and Ctrl-D end no line.
  if (answer === undefined) process.stderr.write('\n')
  if (answer !== undefined && /^y(es)?$/i.test(answer.trim())) return
  throw new KkError('KK_UNCONFIRMED', 'not confirmed; nothing was changed', {hint: 'answer y, or pass --yes'})
}
