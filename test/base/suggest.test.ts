import {expect, it} from 'vitest'
import {suggest} from '../../src/base/suggest.ts'

it.each([
  ['keyston', ['glance', 'keystone'], 'keystone'],
  ['nmae', ['namespace', 'name'], 'name'],
  ['Nova', ['nova'], 'nova'],
  ['timeuot', ['requires', 'timeout'], 'timeout'],
  ['mariadb', ['rabbitmq', 'memcached'], undefined],
  ['x', [], undefined],
])('%s among %j is most likely %s', (word, candidates, meant) => {
  expect(suggest(word, candidates)).toBe(meant)
})
