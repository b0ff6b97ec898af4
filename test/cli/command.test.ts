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
    ['is none where nothing follows', ['--'], []],
  ])('%s', (_, argv, command) => {
    expect(commandWords(argv, ['not', 'these'])).toEqual(command)
  })

  it('is the words that are no flags where there is no --', () => {
    expect(commandWords(['kubectl', 'version'], ['kubectl', 'version'])).toEqual(['kubectl', 'version'])
  })
})
