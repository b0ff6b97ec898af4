import {expect, it} from 'vitest'
import type {LabelSelector} from '../../../../src/kubernetes/gate/kinds/observed.ts'
import {matchesSelector} from '../../../../src/kubernetes/gate/kinds/selector.ts'

const expression = (operator: string, key: string, ...values: string[]) => ({
  matchExpressions: [{key, operator, values}],
})

it.each<[LabelSelector | undefined, boolean]>([
  [undefined, false],
  [{}, false],
  [{matchLabels: {app: 'api'}}, true],
  [{matchLabels: {app: 'api', tier: 'front'}}, false],
  [expression('In', 'app', 'web', 'api'), true],
  [expression('In', 'tier', 'front'), false],
  [expression('NotIn', 'app', 'web'), true],
  [expression('NotIn', 'tier', 'front'), true],
  [expression('NotIn', 'app', 'api'), false],
  [expression('Exists', 'app'), true],
  [expression('Exists', 'tier'), false],
  [expression('DoesNotExist', 'tier'), true],
  [{matchLabels: {app: 'api'}, ...expression('DoesNotExist', 'app')}, false],
])('the selector %j matches the labels app=api: %s', (selector, expected) => {
  expect(matchesSelector(selector, {metadata: {name: 'x', labels: {app: 'api'}}})).toBe(expected)
})
