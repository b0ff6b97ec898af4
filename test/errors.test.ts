import {mkdir, readFile} from 'node:fs/promises'
import {execa} from 'execa'
import {describe, expect, it} from 'vitest'
import {asKkError} from '../src/errors.ts'

const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable('it was to fail'),
    (error: unknown) => asKkError(error),
  )

describe('an error that is none of kk', () => {
  it.each([
    ['read', () => readFile('/nonexistent/values.yaml'), '/nonexistent/values.yaml: '],
    ['made', () => mkdir('/dev/null/x'), '/dev/null/x: the file system refuses it (ENOTDIR, mkdir)'],
  ])('of a file that cannot be %s is one of that file', async (_, act, says) => {
    const {code, exit, message} = await errorOf(act())

    expect({code, exit, message}).toEqual({code: 'KK_FILE', exit: 2, message: expect.stringContaining(says)})
  })

  it.each([
    ['a program that cannot be started', () => execa('/nonexistent/helm')],
    ['a mistake', () => Promise.reject(new TypeError('x is not a function'))],
  ])('of %s is a bug', async (_, act) => {
    expect(await errorOf(act())).toMatchObject({code: 'KK_BUG', exit: 70})
  })
})
