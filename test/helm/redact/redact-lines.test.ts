import {expect, it} from 'vitest'
import {redactLines} from '../../../src/helm/redact/redact-lines.ts'

it.each([
  ['password = hunter2', 'password = ***'],
  ['  admin_token: abc def', '  admin_token: ***'],
  ['"apiKey": "abc",', '"apiKey": ***'],
  ['- secret: abc', '- secret: ***'],
  ['connection = mysql://keystone:hunter2@db/keystone', 'connection = mysql://keystone:***@db/keystone'],
  ['region = RegionOne\npassword=x', 'region = RegionOne\npassword=***'],
  ['token_provider', 'token_provider'],
  ['debug = true', 'debug = true'],
])('%j is shown as %j', (text, shown) => {
  expect(redactLines(text)).toBe(shown)
})
