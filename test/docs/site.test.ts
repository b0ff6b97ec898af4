import {join, relative} from 'node:path'
import {describe, expect, it} from 'vitest'
import {sitePath, siteTarget} from '../../site/.vitepress/links.ts'
import {readGroups} from '../../site/.vitepress/navigation.ts'
import {siteVersions} from '../../site/.vitepress/versions.ts'
import {readPages} from './support/pages.ts'

const ROOT = join(import.meta.dirname, '../..')
const groups = readGroups(join(ROOT, 'docs/README.md'))
const sitePaths = readPages().flatMap(({path}) => sitePath(path) ?? [])

describe('the navigation of the site', () => {
  it('has a group for each kind of page', () => {
    const kinds = ['Tutorials', 'How-to guides', 'Reference', 'Explanation']
    const found = groups.map(({text}) => text.split(':')[0])

    expect([...new Set(found)]).toEqual(kinds)
  })

  it('leads to every page of docs/, and only to pages of the site', () => {
    const linked = groups.flatMap(({items}) => items.map(({link}) => link.slice(1)))
    const pages = sitePaths.map((path) => path.replace(/(index)?\.md$/, ''))

    expect(linked.filter((link) => !pages.includes(link))).toEqual([])
    const ofDocs = readPages().filter(
      ({path}) => /^docs\/[\w-]+\.md$/.test(path) && path !== 'docs/README.md',
    )
    const missing = ofDocs.map(({path}) => relative('docs', path).slice(0, -3))
    expect(missing.filter((page) => !linked.includes(page))).toEqual([])
  })
})

describe('links of pages lead on the site to', () => {
  it.each([
    ['docs/tls.md', 'pods.md#network-policies', '/pods.md#network-policies'],
    ['docs/tls.md', '#rotation', '#rotation'],
    ['docs/quick-start.md', '../README.md#install', '/index.md#install'],
    ['docs/README.md', 'decisions/README.md', '/decisions/index.md'],
    ['README.md', 'CONTRIBUTING.md', '/contributing.md'],
    ['docs/helm.md', 'https://helm.sh', 'https://helm.sh'],
    ['docs/galera.md', '../charts/mariadb/values.yaml', undefined],
  ])('%s: %s', (file, href, expected) => {
    expect(siteTarget(href, file)).toBe(expected)
  })

  it('the repository, if it is known, if they name another file', () => {
    const target = siteTarget(
      '../charts/mariadb/values.yaml',
      'docs/galera.md',
      'https://git.example.org/kk/src',
    )

    expect(target).toBe('https://git.example.org/kk/src/charts/mariadb/values.yaml')
  })
})

it('the site has its own version at the root, and older releases below it, the newest first', () => {
  const tags = ['v0.9.0', 'v0.10.0', 'v0.10.1', 'v0.11.0', 'v0.10.1-rc.1', 'charts-0.1.0', '']

  expect(siteVersions('0.10.1', tags)).toEqual([
    {version: '0.10.1', path: ''},
    {version: '0.10.0', path: '0.10.0/'},
    {version: '0.9.0', path: '0.9.0/'},
  ])
})

it('the page of limits has the words for what kk does not have', () => {
  const {text} = readPages().find(({path}) => path === 'docs/limits.md')!

  for (const word of ['evacuate', 'backup', 'drain', 'LDAP', 'OIDC', 'Vault', 'live migration'])
    expect(text).toContain(word)
})
