import {KkError} from '../base/errors.ts'
import {argument} from './argument.ts'

/** The argument of the commands for one of several nodes. */
export const nodeArgs = {
  node: argument({description: 'The number of the node, 1 and up.', required: true}),
}

/** Returns a node's number by its number or name. Throws `KK_USAGE` for anything else. */
export function nodeNumber(text: string): number {
  const [, digits] = /^(?:node-)?([1-9])$/.exec(text) ?? []
  if (digits) return Number(digits)
  throw new KkError('KK_USAGE', `a node cannot be named ${JSON.stringify(text)}`, {
    hint: 'use its number or its name, as "kk aio status" shows it: 2 or node-2',
  })
}
