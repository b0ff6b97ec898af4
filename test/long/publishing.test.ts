import {readFile} from 'node:fs/promises'
import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {join} from 'node:path'
import {expect, it} from 'vitest'
import {SECRETS} from '../charts/support/charts.ts'
import {emptyCorner} from '../e2e/support/corner.ts'
import {plainHelm} from '../e2e/support/plain-helm.ts'

/** In the order that their READMEs say. */
const CHARTS = ['mariadb', 'memcached', 'keystone']

it('helm alone installs published charts from a web server', async () => {
  const {name: namespace, directory, kk} = await emptyCorner('published')
  const published = await kk(['charts', 'publish', 'repository', ...CHARTS, '--yes'])
  expect(published.exitCode, published.stderr).toBe(0)
  const server = createServer(({url = '/'}, response) => {
    readFile(join(directory, 'repository', url)).then(
      (bytes) => response.end(bytes),
      () => response.writeHead(404).end(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const {port} = server.address() as AddressInfo

  for (const chart of CHARTS) {
    const words = ['install', chart, chart, '--repo', `http://127.0.0.1:${port}`, '--values', '-']
    const {exitCode, stderr} = await plainHelm([...words, '--namespace', namespace, '--create-namespace'], {
      input: JSON.stringify({global: SECRETS}),
    })
    expect(exitCode, stderr).toBe(0)
  }
  server.close()

  const {stdout} = await plainHelm(['list', '--namespace', namespace, '--output', 'json'])
  expect(JSON.parse(stdout)).toEqual(
    CHARTS.toSorted().map((chart) =>
      expect.objectContaining({name: chart, status: 'deployed', chart: `${chart}-0.1.0`}),
    ),
  )
})
