import {globSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, it} from 'vitest'

/** Words that kk had for itself beside a word of the field's: each with the word that is said now. */
const RETIRED = {
  befores: 'previous revisions',
  blame: 'cause',
  bystander: 'untouched release',
  fence: 'preflight',
  fences: 'preflight',
  intent: 'reservation',
  intents: 'reservations',
  patient: 'subject',
  shelf: 'chart index',
  sighting: 'processes',
  tombstone: 'deletion marker',
  tombstones: 'deletion markers',
}

/** What others read keeps its name: objects and labels on clusters, names of checks. */
const KEPT = [/kk-intent\b/g, /kk\.openstack\.org\/intent-/g, /name: 'intents'/g]

const SOURCE = join(import.meta.dirname, '../src')

it.each([
  ['underTombstone(lease)', ['tombstone: say deletion marker']],
  ["throw new Error('no intent is left')", ['intent: say reservation']],
  ["const PREFIX = 'kk-intent-'", []],
  ['const {conductor} = intentional', []],
])('retired words are found in %s', (text, found) => {
  expect(retiredIn(text)).toEqual(found)
})

it('no identifier, message or comment has a retired word', () => {
  const found = globSync('**/*.ts', {cwd: SOURCE}).flatMap((file) =>
    retiredIn(readFileSync(join(SOURCE, file), 'utf8')).map((line) => `src/${file}: ${line}`),
  )

  expect(found).toEqual([])
})

function retiredIn(text: string): readonly string[] {
  const plain = KEPT.reduce((rest, kept) => rest.replaceAll(kept, ''), text)
  const words = plain
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[a-z]+/g)
  const used = new Set(words)
  return Object.entries(RETIRED).flatMap(([word, now]) => (used.has(word) ? [`${word}: say ${now}`] : []))
}
