import {readFileSync} from 'node:fs'
import {describe, expect, it} from 'vitest'
import {LAYERS} from '../../src/overrides/layer.ts'
import {palette} from '../../src/report/colour.ts'
import {viewText} from '../../src/report/text/view.ts'
import {findTopic, topicsOf, topicText} from '../../src/report/topics.ts'

const topics = topicsOf(readFileSync('docs/concepts.md', 'utf8'))
const textOf = (word: string) => viewText(topicText(findTopic(topics, word)!, palette(0)))

it('every bold word and every heading of docs/concepts.md is a topic with a text', () => {
  const page = readFileSync('docs/concepts.md', 'utf8')
  const words = [...page.matchAll(/^\*\*([^*]+)\.\*\*/gm)].map(([, word = '']) => word)
  const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading)

  const titles = topics.map(({title}) => title)
  expect(titles.toSorted()).toEqual([...words, ...headings].filter((each) => each !== 'Words').toSorted())
  expect(topics.filter(({text}) => text === '')).toEqual([])
})

it.each([
  ['environment', 'Environment'],
  ['gate', 'Gate'],
  ['layer', 'Layers'],
  ['Layers', 'Layers'],
  ['edge', 'Kind of an edge'],
  ['dependent', 'Dependents'],
  ['promises', 'Promises'],
])('the topic %s is found as %s', (word, title) => {
  expect(findTopic(topics, word)?.title).toBe(title)
})

it.each(['', 'an', 'of', 'gates of horn'])('no topic is found for "%s"', (word) => {
  expect(findTopic(topics, word)).toBeUndefined()
})

describe('the text of a topic', () => {
  it('has each paragraph on one line, without Markdown syntax', () => {
    expect(textOf('requirement')).toContain(
      'or it is inferred from what the chart renders; an environment can add (requires) and remove (without).',
    )
  })

  it('keeps lists, and aligns tables in columns', () => {
    expect(textOf('layer').match(/^\d\. /gm)).toHaveLength(1 + LAYERS.length)
    expect(textOf('layer')).toContain('\n1. the defaults of the chart\n2. feature files (kk.features)\n')
    expect(textOf('plan')).toMatch(
      /\n {2}in the plan +meaning\n {2}\+ install +the release is not installed, or its install has to be repeated\n/,
    )
  })
})
