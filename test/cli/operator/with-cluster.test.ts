import {afterEach, beforeEach, expect, it, vi} from 'vitest'
import {deadline, waitFlags} from '../../../src/cli/operator/with-cluster.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const waited = (timeout?: string) => (deadline({timeout}) - Date.now()) / 1000

it('waits as long as its help says, unless a flag says otherwise', () => {
  expect(waitFlags.timeout.summary).toContain('(default: 20m)')
  expect(waited()).toBe(20 * 60)
})

it.each([
  ['1h30m', 5400],
  ['90s', 90],
  ['600', 600],
  ['0', 0],
])('reads --timeout %s as %d seconds', (timeout, seconds) => {
  expect(waited(timeout)).toBe(seconds)
})

it('rejects a timeout that is no time', () => {
  expect(() => deadline({timeout: 'soon'})).toThrow(expect.objectContaining({code: 'KK_USAGE'}))
})
