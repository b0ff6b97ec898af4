import {expect, it} from 'vitest'
import {runForNode} from '../../src/cli/run-for-node.ts'

const run = (command: string, {timeout = 60_000, onLine = (_: string): void => undefined} = {}) =>
  runForNode({node: 'cmp1', command, timeout, onLine})

it('the command of a node knows its name, and each line of its output is shown with it', async () => {
  const lines: string[] = []

  await run('echo upgrading $KK_NODE; echo slow >&2', {onLine: (line) => lines.push(line)})

  expect(lines.toSorted()).toEqual(['cmp1: slow', 'cmp1: upgrading cmp1'])
})

it('a command that fails is an error with its exit code', async () => {
  await expect(run('exit 7')).rejects.toMatchObject({
    ...{code: 'KK_EXEC', message: 'the command has exit code 7; cmp1 stays drained'},
  })
})

it('a command that does not end in time is ended', async () => {
  await expect(run('sleep 600', {timeout: 50})).rejects.toThrow('the command did not end in time')
})
