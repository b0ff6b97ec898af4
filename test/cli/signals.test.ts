import {join} from 'node:path'
import {execa} from 'execa'
import {expect, it} from 'vitest'

const KK = join(import.meta.dirname, '../../bin/kk.ts')
const CONSOLE = join(import.meta.dirname, '../../src/cli/console.ts')
const SIGNALS = join(import.meta.dirname, '../../src/cli/signals.ts')

/** A kk that gets the signal while it starts, after `before`. */
function ended(signal: NodeJS.Signals, words: readonly string[], before = '') {
  const script = `
    const {endBySignals} = await import(${JSON.stringify(SIGNALS)})
    const {openConsole} = await import(${JSON.stringify(CONSOLE)})
    endBySignals(openConsole(${JSON.stringify(words)}), () => ${before === '' ? JSON.stringify(signal) : 'undefined'})
    ${before}
    process.kill(process.pid, ${JSON.stringify(signal)})
    setInterval(() => {}, 1000)`
  return execa(process.execPath, ['--input-type=module', '--eval', script], {reject: false})
}

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 130],
] as const)(
  '%s during the start of kk is reported on stderr and as a document, with exit code %i',
  async (signal, exit) => {
    const {exitCode, stdout, stderr} = await ended(signal, ['plan', '--output', 'json'])

    expect(exitCode, stderr).toBe(exit)
    expect(stderr).toContain(`error KK_INTERRUPTED: kk was terminated by ${signal}`)
    expect(JSON.parse(stdout)).toMatchObject({error: {code: 'KK_INTERRUPTED', exit}})
  },
)

it('a signal after a document was printed adds no second document', async () => {
  const {exitCode, stdout, stderr} = await ended(
    'SIGINT',
    ['plan', '--output=json'],
    "process.stdout.write('{}')",
  )

  expect(exitCode).toBe(130)
  expect(stdout).toBe('{}')
  expect(stderr).toContain('KK_INTERRUPTED')
})

it('a signal before the first import of kk is handled', async () => {
  // Signals come with the first module that kk asks for.
  const hooks = `
    import {registerHooks} from 'node:module'
    let isSent = false
    registerHooks({resolve(specifier, context, next) {
      if (context.parentURL?.endsWith('/bin/kk.ts') && !isSent) {
        isSent = true
        process.kill(process.pid, 'SIGINT')
      }
      return next(specifier, context)
    }})`
  const preload = `data:text/javascript,${encodeURIComponent(hooks)}`

  const {exitCode, signal, stdout, stderr} = await execa(
    process.execPath,
    ['--import', preload, KK, 'plan', 'gone.yaml', '--output', 'json'],
    {reject: false},
  )

  expect({exitCode, signal}, stderr).toMatchObject({exitCode: 130})
  expect(stderr).toContain('error KK_INTERRUPTED: kk was terminated by SIGINT')
  expect(JSON.parse(stdout)).toMatchObject({error: {code: 'KK_INTERRUPTED'}})
})
