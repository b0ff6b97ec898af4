import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeEach, expect, it} from 'vitest'
import {openConsole} from '../../src/cli/console.ts'
import {apply} from '../../src/commands/apply.ts'
import {testDirectory} from '../support/test-directory.ts'

let directory: string
beforeEach(async () => {
  directory = testDirectory()
})

it.each([
  ['is no UTF-8', Buffer.from('{"verb": "caf\xe9"}', 'latin1'), /plan\.json:1: expected UTF-8 text/],
  ['is not there', undefined, /^the saved plan .*plan\.json: the file cannot be read \(ENOENT\)/],
])('a saved plan that %s is refused', async (_, bytes, message) => {
  const file = join(directory, 'plan.json')
  if (bytes) await writeFile(file, bytes)

  const attempt = apply({} as Parameters<typeof apply>[0], [file], openConsole([]))

  await expect(attempt).rejects.toMatchObject({code: 'KK_FILE', message: expect.stringMatching(message)})
})

it.each([
  [{}, ['env.yaml'], 'did you mean kk deploy env.yaml? It needs no saved plan'],
  [{environment: 'env.yaml'}, [], 'did you mean kk deploy env.yaml? It needs no saved plan'],
  [{}, [], 'save one with: kk plan --save plan.json'],
])(
  'kk apply with flags %j and arguments %j but without a saved plan hints at %s',
  async (flags, argv, hint) => {
    const attempt = apply(flags as Parameters<typeof apply>[0], argv, openConsole([]))

    await expect(attempt).rejects.toMatchObject({
      code: 'KK_USAGE',
      message: 'kk apply takes one saved plan, but got none',
      hint,
    })
  },
)
