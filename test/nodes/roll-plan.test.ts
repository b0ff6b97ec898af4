import {describe, expect, it} from 'vitest'
import {exceededBudget, parseBudgets} from '../../src/nodes/roll-plan.ts'

const node = (name: string, labels: Readonly<Record<string, string>> = {}, isAway = false) => {
  return {node: name, labels, isAway}
}
const control = {'openstack-control-plane': 'enabled'}

describe('the nodes that may be away at once', () => {
  it.each([
    [['2'], [{allowance: 2}]],
    [['10%'], [{allowance: '10%'}]],
    [[], [{allowance: 1}]],
    [['openstack-control-plane=1'], [{allowance: 1}, {label: 'openstack-control-plane', allowance: 1}]],
    [
      ['zone=a=3', '5'],
      [{label: 'zone=a', allowance: 3}, {allowance: 5}],
    ],
  ])('are read from %j: one of all if none is for all', (texts, budgets) => {
    expect(parseBudgets(texts)).toEqual(budgets)
  })

  it.each(['0', '0%', 'many', 'zone=a', '-1'])('are not %s', (text) => {
    expect(() => parseBudgets([text])).toThrow(`--max-unavailable ${text}: expected a number of nodes`)
  })

  it('are counted with those that are down anyway', () => {
    const nodes = [node('a'), node('b', {}, true), node('c')]

    expect(exceededBudget(nodes[0]!, nodes, [{allowance: 1}])).toBe(
      'b is away, and at most 1 of 3 nodes may be',
    )
    expect(exceededBudget(nodes[0]!, nodes, [{allowance: 2}])).toBeUndefined()
    expect(exceededBudget(nodes[1]!, nodes, [{allowance: 1}])).toBeUndefined()
  })

  it('are counted by label, for nodes that have it', () => {
    const nodes = [node('a', control), node('b', control, true), node('c')]
    const budgets = [{allowance: 3}, {label: 'openstack-control-plane', allowance: 1}]

    expect(exceededBudget(nodes[0]!, nodes, budgets)).toBe(
      'b is away, and at most 1 of 2 nodes with openstack-control-plane may be',
    )
    expect(exceededBudget(nodes[2]!, nodes, budgets)).toBeUndefined()
  })

  it('are one at least of a share', () => {
    const nodes = [node('a'), node('b')]

    expect(exceededBudget(nodes[0]!, nodes, [{allowance: '10%'}])).toBeUndefined()
  })
})
