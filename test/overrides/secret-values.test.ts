import {expect, it} from 'vitest'
import {splitSecretValues} from '../../src/overrides/secret-values.ts'
import {redactPlaces} from '../../src/redact/values.ts'

it('separates secrets from values, with maps that hold nothing else, and a list that contains one as a whole', () => {
  const values = {
    plain: 1,
    db: {host: 'db', auth: {password: 'p1'}},
    only: {password: 'p2'},
    users: [{name: 'a', password: 'p3'}],
    named: {key: 'x', other: 'y'},
    empty: {},
  }

  const apart = splitSecretValues(values, [
    ['named', 'key'],
    ['no', 'such'],
  ])

  expect(apart.values).toEqual({plain: 1, db: {host: 'db'}, named: {other: 'y'}, empty: {}})
  expect(apart.secrets).toEqual({
    db: {auth: {password: 'p1'}},
    only: {password: 'p2'},
    users: [{name: 'a', password: 'p3'}],
    named: {key: 'x'},
  })
})

/** So many that copying the map for each would take minutes. */
const MANY = 20_000

it('separates and masks very many secrets in one traversal', () => {
  const values = Object.fromEntries(
    Array.from({length: MANY}, (_, index) => [`k${index}`, {a: 1, password: `p${index}`}]),
  )
  const places = Object.keys(values).map((key) => [key, 'password'])

  const apart = splitSecretValues(values, [])
  const masked = redactPlaces(values, places)

  expect(apart.places).toHaveLength(MANY)
  expect(apart.values[`k${MANY - 1}`]).toEqual({a: 1})
  expect(masked[`k${MANY - 1}`]).toEqual({a: 1, password: '***'})
})
