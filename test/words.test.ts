import {globSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, it} from 'vitest'

/** Private words of kk, each with the term that replaced it. */
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

/** Phrases that are not English in this trade, each with what is written instead. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\b(no|any) more\b(?! than)/i, 'no longer'],
  [/\banew\b/i, 'again'],
  [/\bmend(s|ed|ing)?\b/i, 'fix'],
  [/\b(whoever|somebody)\b/i, 'the user, the process, the owner'],
  [/\b(is|are) told\b/i, 'is reported'],
  [/\b(goes|went) with (it|them|the)\b/i, 'is deleted with'],
  [/\blook(s|ed)? again\b/i, 're-check, requeue'],
  [/\bunless it is said\b/i, 'defaults to'],
  [/\bat work\b/i, 'running'],
  [/\btak(es|e|en) away\b/i, 'remove'],
  [/\b(left|leaves|leave) out\b/i, 'omitted, skipped'],
  [/\bgo(es)? on with\b/i, 'continue'],
  [/\bstands? (behind|beside)\b/i, 'is next to'],
  [/\bmeanwhile\b/i, 'in the meantime'],
  [/\bwhere (nobody|somebody)\b/i, 'if no user'],
]

it.each([
  ['it is no more wanted', ['no more: say no longer']],
  ['no more than ten', []],
  ['The release goes with the namespace.', ['goes with the: say is deleted with']],
])('phrases of private English are found in %j', (text, found) => {
  expect(phrasesIn(text)).toEqual(found)
})

const READ = [
  'src/**/*.ts',
  'docs/{,changes/,commands/}*.md',
  'README.md',
  'CONTRIBUTING.md',
  'images/**/Containerfile',
  'charts/**/{values.yaml,*.tpl,*.md,Chart.yaml,NOTES.txt}',
  'environments/*.yaml',
]

it('no message, comment or page has a phrase of private English', () => {
  const root = join(SOURCE, '..')
  const files = globSync(READ, {cwd: root})
  const found = files.flatMap((file) =>
    phrasesIn(readFileSync(join(root, file), 'utf8')).map((line) => `${file}: ${line}`),
  )

  expect(found).toEqual([])
})

it.each([
  ["it('is no more wanted', () => {})", ['is no more wanted']],
  ['describe.each(CASES)(\n  `goes on with ${it}`,\n  () => {})', ['goes on with ${it}']],
  ["const title = 'is told: %s'\nit.each(CASES)(title, check)", ['is told: %s']],
  ["expect(said).toBe('no more')", []],
])('titles of tests are found in %j', (source, titles) => {
  expect(titlesIn(source)).toEqual(titles)
})

it('no title of a test has a phrase of private English', () => {
  const found = globSync('**/*.test.ts', {cwd: import.meta.dirname})
    .filter((file) => file !== 'words.test.ts')
    .flatMap((file) =>
      titlesIn(readFileSync(join(import.meta.dirname, file), 'utf8')).flatMap((title) =>
        phrasesIn(title).map((phrase) => `test/${file}: ${title}: ${phrase}`),
      ),
    )

  expect(found).toEqual([])
})

/**
 * Returns the titles in a test file: first arguments of `it`, `test` and `describe`, and constants `title`.
 */
function titlesIn(source: string): readonly string[] {
  const titles = source.matchAll(
    /(?:\b(?:it|test|describe)[\w.]*\(|\)\(|\btitle =)\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/gi,
  )
  return [...titles].map(([, , title = '']) => title)
}

function phrasesIn(text: string): readonly string[] {
  return text.split('\n').flatMap((line) =>
    PHRASES.flatMap(([pattern, say]) => {
      const [phrase] = pattern.exec(line) ?? []
      return phrase === undefined ? [] : [`${phrase}: say ${say}`]
    }),
  )
}

function retiredIn(text: string): readonly string[] {
  const plain = KEPT.reduce((rest, kept) => rest.replaceAll(kept, ''), text)
  const words = plain
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[a-z]+/g)
  const used = new Set(words)
  return Object.entries(RETIRED).flatMap(([word, now]) => (used.has(word) ? [`${word}: say ${now}`] : []))
}
