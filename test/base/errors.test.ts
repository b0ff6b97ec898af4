import {mkdir, readFile} from 'node:fs/promises'
import {execa} from 'execa'
import {describe, expect, it} from 'vitest'
import {asKkError} from '../../src/base/errors.ts'

const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable('it was to fail'),
    (error: unknown) => asKkError(error),
  )

describe('an error that is not a KkError', () => {
  it.each([
    ['read', () => readFile('/nonexistent/values.yaml'), '/nonexistent/values.yaml: '],
    ['made', () => mkdir('/dev/null/x'), '/dev/null/x: the file system refuses it (ENOTDIR, mkdir)'],
  ])('reports a file that cannot be %s as an error of that file', async (_, act, says) => {
    const {code, exit, message} = await errorOf(act())

    expect({code, exit, message}).toEqual({code: 'KK_FILE', exit: 2, message: expect.stringContaining(says)})
  })

  it.each([
    ['a program that cannot be started', () => execa('/nonexistent/helm')],
    ['a mistake', () => Promise.reject(new TypeError('x is not a function'))],
  ])('reports an error of %s as a bug', async (_, act) => {
    expect(await errorOf(act())).toMatchObject({code: 'KK_BUG', exit: 70})
  })
})

const SECRETS = ['hunter2', 'S3cret', 'correct-horse', 'aHVudGVyMg==']

describe('the message of an exception in kk', () => {
  it('contains its type, its plain words and the position', () => {
    const {code, exit, message} = asKkError(new RangeError('Invalid string length'))

    expect({code, exit}).toEqual({code: 'KK_BUG', exit: 70})
    expect(message).toMatch(/^RangeError: Invalid string length\n {4}at .*errors\.test\.ts:\d+:\d+/)
  })

  it.each<[string, () => unknown]>([
    ['a regular expression', () => new RegExp(`(${SECRETS.join('|')}`)],
    ['JSON', () => JSON.parse(`{"password": ${SECRETS.join(', ')}`)],
    ['a property', () => Reflect.get(SECRETS, 'x')[SECRETS.join()]],
    ['a word', () => raise(new Error(`no ${SECRETS.join(' or ')}`))],
    ['quotes', () => raise(new Error(`got "${SECRETS.join()}"`))],
    ['its cause', () => raise(new Error('failed', {cause: new TypeError(`is '${SECRETS.join()}'`)}))],
    ['its name', () => raise(Object.assign(new Error('failed'), {name: SECRETS.join()}))],
    ['a line like those of a stack', () => raise(new Error(`no\n    at x (${SECRETS.join()}:1:1)`))],
    ['a text that was thrown', () => raise(`no ${SECRETS.join()}`)],
    ['an object that was thrown', () => raise({password: SECRETS.join()})],
  ])('omits quoted values of %s', (_, throwing) => {
    const error = asKkError(thrownBy(throwing))

    expect(error.code).toBe('KK_BUG')
    for (const secret of SECRETS) expect(JSON.stringify([error.message, error])).not.toContain(secret)
    expect(error.cause).toBeUndefined()
  })

  it('is limited to a screen', () => {
    const error = new Error('word '.repeat(100_000), {cause: deep(200)})

    expect(asKkError(error).message.length).toBeLessThan(10_000)
  })

  it('is the same for an uncaught exception', async () => {
    const main = JSON.stringify(new URL('../../src/main.ts', import.meta.url).href)
    const script = `const {main} = await import(${main}); await main(['--version']); throw new Error('got "S3cret"')`
    const result = await execa({reject: false})`${process.execPath} --input-type=module -e ${script}`

    expect(result.exitCode).toBe(70)
    expect(result.stderr).toContain('KK_BUG')
    expect(result.stderr).not.toContain('S3cret')
  })
})

function raise(thrown: unknown): never {
  throw thrown
}

function thrownBy(throwing: () => unknown): unknown {
  try {
    return throwing()
  } catch (error) {
    return error
  }
}

/** Causes of causes. */
function deep(depth: number): Error {
  return new Error('failed', depth === 0 ? {} : {cause: deep(depth - 1)})
}
