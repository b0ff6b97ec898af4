import {expect, it} from 'vitest'
import {ndjsonView} from '../../../src/report/run/ndjson.ts'
import {brokenRun} from '../support/all-in-one.ts'
import {showTo} from '../support/show.ts'
import {createSink} from '../support/sink.ts'

function ndjsonOf(events: ReturnType<typeof brokenRun>): string {
  const stream = createSink()
  const view = ndjsonView({stream})
  events.forEach(showTo(view))
  return stream.text()
}

it('events are written as one object per line, and read back unchanged', () => {
  const lines = ndjsonOf(brokenRun()).trimEnd().split('\n')

  expect(lines.map((line) => JSON.parse(line))).toEqual(brokenRun())
})

it('events have their keys in a fixed order', () => {
  const reversed = brokenRun().map(
    (event) => Object.fromEntries(Object.entries(event).reverse()) as typeof event,
  )

  expect(ndjsonOf(reversed)).toBe(ndjsonOf(brokenRun()))
  expect(ndjsonOf(brokenRun().slice(1, 2))).toBe(
    '{"type":"release-started","at":1795176000000,"release":"openstack/mariadb","kind":"install"}\n',
  )
})
