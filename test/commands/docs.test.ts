import {expect, it} from 'vitest'
import {compressedPages} from '../../src/state/pages.ts'
import {runCommand} from '../support/run-command.ts'

it('kk docs lists every page with one line', async () => {
  const {document, stdout} = await runCommand('docs', [])

  const {pages} = document as {readonly pages: readonly {readonly name: string; readonly about: string}[]}
  expect(pages.length).toBeGreaterThan(45)
  expect(pages.filter(({about}) => about === '').map(({name}) => name)).toEqual([])
  expect(stdout).toMatch(/^ {2}tls +for clients outside and between services/m)
})

it.each([['tls'], ['TLS'], ['tls.md']])('kk docs %s prints the page for a terminal', async (name) => {
  const {stdout} = await runCommand('docs', [name])

  expect(stdout).toMatch(/^TLS\n\n {2}global:\n {4}tls:\n/)
  expect(stdout).toMatch(/^What is covered$/m)
  expect(stdout).not.toMatch(/\]\(|\*\*|^#/m)
})

it('kk docs prints the page of a command, with its arguments and variables', async () => {
  const {stdout} = await runCommand('docs', ['kk-unlock'])

  expect(stdout).toMatch(/^kk unlock\n/)
  expect(stdout).toContain('kk unlock RELEASE --revision N [FILE] [FLAGS]')
  expect(stdout).toContain('KK_ENVIRONMENT')
})

it('kk docs searches all pages for the words, and suggests a page of a similar name', async () => {
  const {document, notes} = await runCommand('docs', ['storag'])
  const {document: several} = await runCommand('docs', ['registry', 'login'])

  expect(notes).toEqual(['no page is named "storag"; did you mean kk docs storage?'])
  expect(document).toMatchObject({
    found: expect.arrayContaining([expect.objectContaining({page: 'storage'})]),
  })
  const {found} = several as {readonly found: readonly {readonly page: string}[]}
  expect(found.map(({page}) => page)).toContain('images')
})

it.each([
  ['evacuate', 'limits'],
  ['backup', 'limits'],
  ['drain', 'limits'],
  ['vault', 'limits'],
  ['upgrade', 'operating'],
  ['registry', 'images'],
  ['ldap', 'ldap'],
])('kk docs, asked for %s, prints the page %s or lists it among the first eight', async (word, page) => {
  const {document} = await runCommand('docs', [word])
  const {name, found = []} = document as {name?: string; found?: readonly {readonly page: string}[]}
  const pages = [...new Set([...(name === undefined ? [] : [name]), ...found.map((each) => each.page)])]

  expect(pages.slice(0, 8)).toContain(page)
})

it('kk docs refuses words that no page contains', async () => {
  await expect(runCommand('docs', ['tlss', 'xyzzy'])).rejects.toMatchObject({code: 'KK_USAGE'})
  await expect(runCommand('docs', ['upgradng'])).rejects.toMatchObject({
    code: 'KK_USAGE',
    hint: 'list the pages with kk docs',
  })
})

it('the pages take less than 300 kB in the executable', () => {
  expect(compressedPages('docs').length).toBeLessThan(300_000)
})
