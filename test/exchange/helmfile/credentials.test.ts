import {expect, it} from 'vitest'
import {environmentText} from '../../../src/report/import/environment-text.ts'
import {helmfileOf, importText} from './support/imported.ts'

const directory = '/nowhere'

it('keeps credentials of a repository out of the environment', () => {
  const made = importText({
    text: helmfileOf(
      {chart: 'shop/web'},
      {repositories: [{name: 'shop', url: 'https://me:S3cret@charts.example.org/stable'}]},
    ),
    directory,
    isBuilt: true,
  })

  expect(made.charts).toEqual([{repository: 'https://charts.example.org/stable'}])
})

it.each([
  ['git::https://u:S3cret@example.org/x@charts/a?ref=1', 'git::https://example.org/x@charts/a?ref=1', []],
  [
    'git::ssh://git@example.org/x@charts/a?sshkey=S3cret&ref=1',
    'git::ssh://example.org/x@charts/a?sshkey=***&ref=1',
    [],
  ],
  ['https://u:S3cret@example.org/a-1.0.0.tgz', 'https://example.org/a-1.0.0.tgz', []],
  ['https://u:S3cret@example.org', 'https://example.org', []],
  ['oci://u:S3cret@r.example.org/x/a:1.0.0', undefined, ['oci://r.example.org/x']],
])('shows no credentials of the chart %s, and reports where they belong', (chart, shown, charts) => {
  const stated = (showSecrets: boolean) =>
    importText({
      text: JSON.stringify({releases: [{name: 'web', chart, values: [`${chart}.gotmpl`]}]}),
      directory,
      isBuilt: true,
      showSecrets,
    })

  const made = stated(false)

  expect(made.lost).toContainEqual(
    expect.stringMatching(/^the credentials in the URL of the chart of web: .*helm registry login/),
  )
  if (shown !== undefined) expect(made.lost).toContain(`the source of the chart ${shown} of web`)
  expect(made.charts).toEqual(charts)
  expect(JSON.stringify(made) + environmentText(made)).not.toMatch(/S3cret|u:/)
  expect(stated(true).lost.join()).toContain('S3cret')
})

it('shows no credentials of URLs that are not the value of their key', () => {
  const text = helmfileOf({timeout: 'https://u:S3cret@example.org'})

  expect(() => importText({text, directory, isBuilt: true})).toThrow(
    'expected whole seconds, got the string "https://example.org"',
  )
})

it('omits secrets by default', () => {
  const text = JSON.stringify({
    releases: [
      {
        name: 'db',
        chart: './charts/db',
        values: [{auth: {user: 'kk', password: 'S3cret'}}],
        set: [{name: 'admin.token', value: 'S3cret'}],
      },
    ],
  })

  const without = importText({text, directory})
  const all = importText({text, directory, showSecrets: true})

  expect(without.releases[0]!.values).toEqual({auth: {user: 'kk'}})
  expect(without.lost).toEqual([
    'secrets of db, omitted: auth.password, admin.token; --show-secrets writes them',
  ])
  expect(all.releases[0]!.values).toEqual({
    auth: {user: 'kk', password: 'S3cret'},
    admin: {token: 'S3cret'},
  })
  expect(all.lost).toEqual([])
})
