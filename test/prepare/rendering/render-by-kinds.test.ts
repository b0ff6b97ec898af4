import {describe, expect, it} from 'vitest'
import {renderByKinds} from '../../../src/prepare/rendering/render-by-kinds.ts'
import {id} from '../../graph/graph-of.ts'

/** A chart that defines a kind, where another one is there. */
interface Item {
  readonly name: string
  readonly asks?: string
  readonly defines?: string
}

/** What each chart is rendered to, and which charts were rendered together, with what. */
async function rendered(items: readonly Item[]) {
  const rounds: string[] = []
  const outcomes = await renderByKinds<Item, readonly string[]>(items, {
    asks: ({asks}) => asks !== undefined,
    definedBy: (kinds) => kinds.flat(),
    render: async (some, defined) => {
      rounds.push(`${some.map(({name}) => name)} with ${defined ?? 'nothing'}`)
      const definedBy = ({asks, defines}: Item) =>
        defines !== undefined && (asks === undefined || defined?.includes(asks)) ? [defines] : []
      return new Map(some.map((item) => [id(item.name), definedBy(item)]))
    },
  })
  return {outcomes, rounds}
}

describe('charts that ask for kinds', () => {
  it('are rendered once, after other charts, with the kinds that these define', async () => {
    const {rounds} = await rendered([
      {name: 'app', asks: 'A'},
      {name: 'operator', defines: 'A'},
    ])

    expect(rounds).toEqual(['operator with nothing', 'app with A'])
  })

  it('are rendered again until they define no new kinds', async () => {
    const {outcomes, rounds} = await rendered([
      {name: 'c', asks: 'B', defines: 'C'},
      {name: 'b', asks: 'A', defines: 'B'},
      {name: 'a', defines: 'A'},
    ])

    expect(rounds).toEqual(['a with nothing', 'c,b with A', 'c,b with A,B', 'c,b with A,B,C'])
    expect(outcomes.get(id('c'))).toEqual(['C'])
  })

  it('need no second render if no chart asks', async () => {
    expect((await rendered([{name: 'a', defines: 'A'}])).rounds).toEqual(['a with nothing'])
  })
})
