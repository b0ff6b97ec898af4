import {afterEach, expect, it, vi} from 'vitest'
import {KkError} from '../../src/base/errors.ts'
import {confirmNodePlan} from '../../src/cli/cloud-node.ts'
import {openConsole} from '../../src/cli/console.ts'

afterEach(() => void vi.restoreAllMocks())

it('a dry run of a change that is refused shows its plan, and fails as the change would', async () => {
  const stdout = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const flags = {yes: false, 'dry-run': true, output: 'json'} as const
  const refuse = () => {
    throw new KkError('KK_NODE_IN_USE', 'a is in use')
  }

  const confirmed = confirmNodePlan(openConsole([]), flags, {
    ...{plan: {node: 'a'}, text: () => [], question: 'remove a?', refuse},
  })

  await expect(confirmed).rejects.toMatchObject({code: 'KK_NODE_IN_USE'})
  expect(stdout).toHaveBeenCalledWith('{\n  "node": "a"\n}\n')
})
