import {join} from 'node:path'
import {execa} from 'execa'
import {expect, it} from 'vitest'

const SIGNALS = join(import.meta.dirname, '../../../src/cli/show/signals.ts')

/** A kk that gets the signal while it starts, after `before`. */
function ended(signal: NodeJS.Signals, words: readonly string[], before = '') {
  const script = `
    const {endBySignals} = await import(${JSON.stringify(SIGNALS)})
    endBySignals(${JSON.stringify(words)}, () => ${before === '' ? JSON.stringify(signal) : 'undefined'})
    ${before}
    process.kill(process.pid, ${JSON.stringify(signal)})
    setInterval(() => {}, 1000)`
  return execa(process.execPath, ['--input-type=module', '--eval', script], {reject: false})
}

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 130],
] as const)('%s that comes while kk starts is said, and is a document: exit %i', async (signal, exit) => {
  const {exitCode, stdout, stderr} = await ended(signal, ['plan', '--output', 'json'])

  expect(exitCode, stderr).toBe(exit)
  expect(stderr).toContain(`error KK_INTERRUPTED: kk was ended by ${signal}`)
  expect(JSON.parse(stdout)).toMatchObject({error: {code: 'KK_INTERRUPTED', exit}})
})

it('a document that is there already stays the only one', async () => {
  const {exitCode, stdout, stderr} = await ended(
    'SIGINT',
    ['plan', '--output=json'],
    "process.stdout.write('{}')",
  )

  expect(exitCode).toBe(130)
  expect(stdout).toBe('{}')
  expect(stderr).toContain('KK_INTERRUPTED')
})
