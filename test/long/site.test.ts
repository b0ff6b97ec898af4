import {readdirSync} from 'node:fs'
import {join} from 'node:path'
import {execa} from 'execa'
import {beforeAll, expect, it} from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const CHUNKS = join(ROOT, 'dist/site/assets/chunks')

/** The part of MiniSearch that is used here; the site's search box uses the same index with these options. */
interface Search {
  search(query: string, options: object): readonly {readonly id: string}[]
}

let index: Search

beforeAll(async () => {
  // A link to a page that is missing fails the build.
  await execa('npm', ['run', '--silent', 'docs:site'], {cwd: ROOT, stdin: 'ignore'})
  const chunk = readdirSync(CHUNKS).find((file) => file.startsWith('@localSearchIndex'))!
  const {default: json} = (await import(join(CHUNKS, chunk))) as {default: string}
  const module = join(ROOT, 'site/node_modules/minisearch/dist/es/index.js')
  const {default: MiniSearch} = (await import(module)) as {
    default: {loadJSON(json: string, options: object): Search}
  }
  index = MiniSearch.loadJSON(json, {fields: ['title', 'titles', 'text'], storeFields: ['title', 'titles']})
})

/** Returns the pages that the search box lists for a query, in its order. */
function pagesFor(query: string): readonly string[] {
  const found = index.search(query, {fuzzy: 0.2, prefix: true, boost: {title: 4, text: 2, titles: 1}})
  return [...new Set(found.map(({id}) => id.replace(/^.*\/([^/#]*)#.*$/, '$1').replace('.html', '')))]
}

it.each([
  ['LDAP', 'ldap'],
  ['Vault', 'limits'],
  ['upgrade', 'upgrading-openstack'],
  ['registry', 'images'],
  ['evacuate', 'limits'],
  ['backup', 'limits'],
  ['drain', 'limits'],
  ['troubleshooting', 'troubleshooting'],
])('the search of the site finds for %s the page %s among the first', (query, page) => {
  expect(pagesFor(query).slice(0, 8)).toContain(page)
})
