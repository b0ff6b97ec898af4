import {describe, expect, it} from 'vitest'
import {commandWords} from '../../src/cli/command.ts'

describe('the command after --', () => {
  it.each([
    [
      'keeps a -- of its own',
      ['--', 'kubectl', 'exec', 'web', '--', 'ls', '-l'],
      ['kubectl', 'exec', 'web', '--', 'ls', '-l'],
    ],
    [
      'does not include the flags before it',
      ['--sandbox-name', 'big', '--', 'helm', 'list'],
      ['helm', 'list'],
    ],
    ['is empty if nothing follows', ['--'], []],
  ])('%s', (_, argv, command) => {
    expect(commandWords(argv, ['not', 'these'])).toEqual(command)
  })

  it('consists of the words before the first flag if there is no --', () => {
    expect(commandWords(['kubectl', 'version'], ['kubectl', 'version'])).toEqual(['kubectl', 'version'])
  })
})
