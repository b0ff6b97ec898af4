import {describe, expect, it} from 'vitest'
import {expectSafe, parseListen} from '../../src/api/listen-options.ts'
import {parseTokens} from '../../src/api/tokens.ts'

const tokens = parseTokens(`write ${'w'.repeat(32)}`, 'tokens')

describe('the listen address', () => {
  it.each([
    ['127.0.0.1:8080', {host: '127.0.0.1', port: 8080}],
    [':0', {host: '127.0.0.1', port: 0}],
    ['[::1]:443', {host: '::1', port: 443}],
    ['localhost:80', {host: 'localhost', port: 80}],
  ])('accepts %s', (text, expected) => {
    expect(parseListen(text)).toEqual(expected)
  })

  it.each(['8080', 'localhost', '::1:80', '127.0.0.1:65536', '127.0.0.1:-1'])('rejects %s', (text) => {
    expect(() => parseListen(text)).toThrow(/expected HOST:PORT/)
  })

  it.each(['127.0.0.1', '127.8.9.10', '::1', 'localhost'])('%s needs no token', (host) => {
    expect(() => expectSafe({host, port: 0}, {tokens: undefined, tls: false})).not.toThrow()
  })

  it.each(['0.0.0.0', '::', '10.0.0.1', 'cloud.example.org', '::ffff:10.0.0.1'])(
    '%s needs TLS and tokens',
    (host) => {
      const refused = (of: Partial<Parameters<typeof expectSafe>[1]>) => () =>
        expectSafe({host, port: 0}, {tokens: undefined, tls: false, ...of})
      expect(refused({})).toThrow(/--tls-cert and --tls-key and --token-file or KK_TOKEN/)
      expect(refused({tokens})).toThrow(/needs --tls-cert and --tls-key there/)
      expect(refused({tls: true})).toThrow(/needs --token-file or KK_TOKEN there/)
      expect(refused({tokens, tls: true})).not.toThrow()
    },
  )

  it.each([
    ['', /tokens: expected at least one token/],
    ['# none\n', /tokens: expected at least one token/],
    ['write short', /tokens:1: expected "read TOKEN" or "write TOKEN"/],
    [`\nadmin ${'x'.repeat(32)}`, /tokens:2: /],
  ])('rejects tokens like %j without quoting them', (text, message) => {
    expect(() => parseTokens(text, 'tokens')).toThrow(message)
    expect(() => parseTokens(text, 'tokens')).not.toThrow(/short|xxx/)
  })
})
