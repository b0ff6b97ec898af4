import {describe, expect, it} from 'vitest'
import {KkError} from '../../src/base/errors.ts'
import {palette} from '../../src/report/colour.ts'
import {errorDocument, errorLine, errorText} from '../../src/report/error-text.ts'

const helmFailed = new KkError('KK_HELM_FAILED', 'helm upgrade of openstack/keystone failed\nexit code 1', {
  hint: 'look at the last lines of helm above',
  log: ['Error: \u001b[31mUPGRADE FAILED\u001b[0m', 'timed out'],
})

describe('errorText', () => {
  it('shows code, message, log and hint', () => {
    expect(errorText(helmFailed, palette(0))).toMatchInlineSnapshot(`
      "error KK_HELM_FAILED: helm upgrade of openstack/keystone failed
        exit code 1
        | Error: UPGRADE FAILED
        | timed out
      hint: look at the last lines of helm above
      "
    `)
  })

  it('is one line for an error without details', () => {
    expect(errorText(new KkError('KK_USAGE', 'expected a file'), palette(0))).toBe(
      'error KK_USAGE: expected a file\n',
    )
  })

  it('colours the word error', () => {
    expect(errorText(helmFailed, palette(1))).toContain('\u001b[31merror\u001b[39m')
  })
})

it('an error is a document with --output json', () => {
  expect(errorDocument(helmFailed)).toEqual({
    error: {
      code: 'KK_HELM_FAILED',
      message: 'helm upgrade of openstack/keystone failed\nexit code 1',
      hint: 'look at the last lines of helm above',
      exit: 1,
      log: ['Error: \u001b[31mUPGRADE FAILED\u001b[0m', 'timed out'],
    },
  })
})

it('an error is one line with --output ndjson', () => {
  expect(errorLine(new KkError('KK_USAGE', 'expected a file'))).toBe(
    '{"type":"error","code":"KK_USAGE","message":"expected a file","exit":2}\n',
  )
})
