import {existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs'
import {mkdtemp, readFile, rm} from 'node:fs/promises'
import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {tmpdir} from 'node:os'
import {extname, join} from 'node:path'
import {execa} from 'execa'
import {chromium} from 'playwright-core'
import {afterAll, beforeAll, expect, it} from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

/** The part of MiniSearch that is used here; the site's search box uses the same index with these options. */
interface Search {
  search(query: string, options: object): readonly {readonly id: string}[]
}

let clone: string
let site: string
let index: Search

/** Builds the site of a version 0.2.0 with these sources, and below it a release 0.1.0. */
beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), 'kk-site-'))
  site = join(clone, 'dist/site')
  const git = (...words: string[]) => execa('git', ['-C', ROOT, ...words])
  const {stdout: changes} = await git('stash', 'create')
  await git('clone', '--quiet', '--shared', '--no-checkout', ROOT, clone)
  await git(
    '-C',
    clone,
    'checkout',
    '--quiet',
    '--detach',
    changes || (await git('rev-parse', 'HEAD')).stdout,
  )
  await git('-C', clone, 'tag', '--force', 'v0.1.0')
  const manifest = join(clone, 'package.json')
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('"version": "0.1.0"', '"version": "0.2.0"'))
  for (const packages of ['node_modules', 'site/node_modules'])
    if (existsSync(join(ROOT, packages))) symlinkSync(join(ROOT, packages), join(clone, packages))
  // A link to a page that is missing fails the build.
  await execa('npm', ['run', '--silent', 'docs:site', '--', '--versions'], {cwd: clone, stdin: 'ignore'})

  const chunks = join(site, 'assets/chunks')
  const chunk = readdirSync(chunks).find((file) => file.startsWith('@localSearchIndex'))!
  const {default: json} = (await import(join(chunks, chunk))) as {default: string}
  const module = join(clone, 'site/node_modules/minisearch/dist/es/index.js')
  const {default: MiniSearch} = (await import(module)) as {
    default: {loadJSON(json: string, options: object): Search}
  }
  index = MiniSearch.loadJSON(json, {fields: ['title', 'titles', 'text'], storeFields: ['title', 'titles']})
})

afterAll(() => rm(clone, {recursive: true, force: true}))

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
  ['drain', 'nodes'],
  ['troubleshooting', 'troubleshooting'],
])('the search of the site finds for %s the page %s among the first', (query, page) => {
  expect(pagesFor(query).slice(0, 8)).toContain(page)
})

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
}

it('the selector of an older version leads to the same page of the newest one', async () => {
  const server = createServer(async ({url = '/'}, response) => {
    const path = new URL(url, 'http://127.0.0.1').pathname.replace(/\/$/, '/index.html')
    const content = await readFile(join(site, path)).catch(() => undefined)
    response.writeHead(content ? 200 : 404, {'content-type': TYPES[extname(path)] ?? 'text/plain'})
    response.end(content)
  }).listen(0, '127.0.0.1')
  const browser = await chromium.launch({executablePath: '/usr/bin/chromium', args: ['--no-sandbox']})
  try {
    const page = await browser.newPage({viewport: {width: 1400, height: 900}})
    const {port} = server.address() as AddressInfo
    await page.goto(`http://127.0.0.1:${port}/0.1.0/ldap.html`)

    const selector = page.getByRole('combobox', {name: 'Version'})
    await selector.locator('option', {hasText: 'Version 0.2.0'}).waitFor({state: 'attached'})
    expect(await selector.locator('option').allTextContents()).toEqual(['Version 0.2.0', 'Version 0.1.0'])
    expect(await selector.locator('option:checked').textContent()).toBe('Version 0.1.0')
    await selector.selectOption('Version 0.2.0')
    await page.waitForURL(({pathname}) => pathname === '/ldap.html')
    expect(await page.locator('h1').first().textContent()).toContain('Users in LDAP')
  } finally {
    await browser.close()
    server.close()
  }
})
