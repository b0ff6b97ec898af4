import {expect, it} from 'vitest'
import {documentText} from '../../src/report/document.ts'

const value = {name: 'keystone', nothing: undefined, digest: '0123', requires: ['mariadb'], text: 'a\nb'}

it('a document is written as JSON', () => {
  expect(documentText(value, 'json')).toMatchInlineSnapshot(`
    "{
      "name": "keystone",
      "digest": "0123",
      "requires": [
        "mariadb"
      ],
      "text": "a\\nb"
    }
    "
  `)
})

it('a document is written as equivalent YAML, without references or broken lines', () => {
  const shared = {a: 'x '.repeat(100).trim()}

  expect(documentText(value, 'yaml')).toMatchInlineSnapshot(`
    "name: keystone
    digest: '0123'
    requires:
      - mariadb
    text: |-
      a
      b
    "
  `)
  expect(documentText([shared, shared], 'yaml')).toBe(`- a: ${shared.a}\n- a: ${shared.a}\n`)
})
