import {expect, it} from 'vitest'
import {runForNode} from '../../src/cli/run-for-node.ts'

it('the command of a node knows its name, and each line of its output is shown with it', async () => {
  const lines: string[] = []

  await runForNode('cmp1', 'echo upgrading $KK_NODE; echo slow >&2', (line) => lines.push(line))

  expect(lines.toSorted()).toEqual(['cmp1: slow', 'cmp1: upgrading cmp1'])
})

it('a command that fails is an error with its exit code', async () => {
  await expect(runForNode('cmp1', 'exit 7', () => undefined)).rejects.toMatchObject({
    ...{code: 'KK_EXEC', message: 'the command has exit code 7; cmp1 stays drained'},
  })
})
