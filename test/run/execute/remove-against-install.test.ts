import {beforeAll, describe, expect, test} from 'vitest'
import {type Ending, everyInterleaving, MARIADB, type Patience, requiresMariadb} from './two-operators.ts'

const CASES: readonly (readonly ['install' | 'relabel', Patience])[] = [
  ['install', 'waits'],
  ['install', 'gives up'],
  ['relabel', 'waits'],
  ['relabel', 'gives up'],
]

describe.each(CASES)('%s of keystone by a run that %s, against removal of mariadb', (verb, patience) => {
  let endings: readonly Ending[]
  // Once for all: some thousand short lives, which take their time on a machine that others use.
  beforeAll(async () => {
    endings = await everyInterleaving(verb, patience)
  }, 60_000)

  test('a removal and an install, in every order of their steps, never leave a dependent without its requirement', () => {
    expect(endings.length).toBeGreaterThan(100)
    for (const {shared, remove} of endings) {
      expect(shared.records.has(MARIADB) || !requiresMariadb(shared)).toBe(true)
      expect(shared.records.has(MARIADB)).toBe(remove !== undefined)
    }
  })

  test('a removal and an install both succeed in some order, and leave nothing behind', () => {
    expect(endings).toContainEqual(expect.objectContaining({install: undefined, remove: 'KK_HAS_DEPENDENTS'}))
    expect(endings).toContainEqual(expect.objectContaining({install: 'KK_NOT_INSTALLED', remove: undefined}))
    for (const {shared} of endings) expect(shared).toMatchObject({leases: new Map(), reservations: []})
  })
})

test('of a removal and an install that waits, always exactly one succeeds', async () => {
  const endings = await everyInterleaving('install', 'waits')

  for (const {install, remove} of endings) expect([install, remove]).toContain(undefined)
  for (const {install, remove} of endings) expect(install ?? remove).toBeDefined()
})
