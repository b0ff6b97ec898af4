import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import toposort from 'toposort'
import {afterAll, beforeAll, expect, it} from 'vitest'
import {makeSigningKeys} from '../charts/support/signing-keys.ts'
import {serveDirectory} from '../charts/support/web-server.ts'
import {type Corner, emptyCorner} from '../e2e/support/corner.ts'
import {plainHelm} from '../e2e/support/plain-helm.ts'
import {GIVEN, SERVICES} from '../own-charts/support/charts.ts'
import {HELMS} from '../support/helms.ts'
import {startRegistry} from '../support/registry.ts'

/** Milliseconds: helm is started twice for each chart, one after the other. */
const ALL_CHARTS = 1_800_000

async function helm(words: readonly string[], input = ''): Promise<string> {
  const {exitCode, stdout, stderr} = await plainHelm(words, {version: HELMS[0]!, input})
  expect(exitCode, `helm ${words.join(' ')}: ${stderr}`).toBe(0)
  return stdout
}

/** Where helm finds a chart, as words. */
type Place = (chart: string) => readonly string[]

/** The order in which the READMEs of the packages say that charts are installed. */
async function documentedOrder(place: Place): Promise<readonly string[]> {
  const edges: [string, string][] = []
  for (const chart of SERVICES) {
    const readme = await helm(['show', 'readme', ...place(chart)])
    const [, first = ''] = /^Install these charts first, each under its own name: (.*)\.$/m.exec(readme) ?? []
    const needed = first.split(', ').filter((name) => name !== '' && !name.endsWith('(where it is used)'))
    for (const name of needed) edges.push([name, chart])
    if (needed.length === 0)
      expect(readme).toMatch(/^(It needs no other chart|Install these.*where it is used)/m)
  }
  return toposort.array([...SERVICES], edges)
}

// Helm 4 keeps what signs a package by the package's digest, so all tests have one key.
let keys: Awaited<ReturnType<typeof makeSigningKeys>>
beforeAll(async () => {
  keys = await makeSigningKeys()
})
afterAll(async () => keys[Symbol.asyncDispose]())

/** Signs and publishes all of kk's charts. */
async function publishAll({kk, directory}: Corner, destination: string): Promise<void> {
  await writeFile(join(directory, 'passphrase'), `${keys.passphrase}\n`)
  const key = ['--key', keys.key, '--keyring', keys.secret, '--passphrase-file', 'passphrase']
  const words = ['charts', 'package', ...SERVICES, '--output-dir', 'packages', '--output', 'json']
  const packed = await kk([...words, '--sign', ...key])
  expect(packed.exitCode, packed.stderr).toBe(0)
  const {packages} = JSON.parse(packed.stdout) as {readonly packages: readonly {readonly path: string}[]}
  const published = await kk(['charts', 'publish', destination, ...packages.map(({path}) => path), '--yes'])
  expect(published.exitCode, published.stderr).toBe(0)
}

/** What the cluster of the tests wants of charts: it has a class `general` itself. */
const OWN: Readonly<Record<string, object>> = {
  'rbd-provisioner': {classes: {general: null, ceph: {parameters: {type: 'cephfs'}}}},
}

/** Installs all of kk's charts by helm alone, each verified, and takes them away again. */
async function installAll({name: namespace}: Corner, place: Place): Promise<void> {
  const order = await documentedOrder(place)

  const of = ['--namespace', namespace]
  for (const chart of order) {
    const verify = ['--verify', '--keyring', keys.public]
    const more = [...of, '--create-namespace', '--values', '-']
    const values = {global: GIVEN, ...OWN[chart]}
    await helm(['install', chart, ...place(chart), ...verify, ...more], JSON.stringify(values))
  }

  const releases = JSON.parse(await helm(['list', ...of, '--max', '0', '--output', 'json']))
  await helm(['uninstall', ...order.toReversed(), ...of, '--no-hooks'])
  expect(releases).toEqual(
    SERVICES.toSorted().map((chart) =>
      expect.objectContaining({name: chart, status: 'deployed', chart: `${chart}-0.1.0`}),
    ),
  )
}

it(
  'helm alone verifies and installs all published charts from a registry, in the stated order',
  async () => {
    await using registry = await startRegistry()
    const corner = await emptyCorner('registry')
    const url = `oci://${registry.host}/charts`
    await publishAll(corner, url)

    await installAll(corner, (chart) => [`${url}/${chart}`, '--plain-http'])
  },
  ALL_CHARTS,
)

it(
  'helm alone verifies and installs all published charts from a web server, in the stated order',
  async () => {
    const corner = await emptyCorner('published')
    await using server = await serveDirectory(join(corner.directory, 'repository'))
    await publishAll(corner, 'repository')

    await installAll(corner, (chart) => [chart, '--repo', server.url])
  },
  ALL_CHARTS,
)

it('an SBOM is attached to a published chart only with --yes, and --dry-run reports that', async () => {
  await using registry = await startRegistry()
  const {kk} = await emptyCorner('sbom')
  const words = ['charts', 'publish', `oci://${registry.host}/charts`, 'memcached']
  await kk([...words, '--yes'])

  const shown = await kk([...words, '--sbom', '--dry-run'])
  const refused = await kk([...words, '--sbom'])
  const attached = await kk([...words, '--sbom', '--yes'])
  const again = await kk([...words, '--sbom'])

  expect([shown, refused, attached, again].map(({exitCode}) => exitCode)).toEqual([0, 3, 0, 0])
  expect(refused.stderr).toContain('KK_UNCONFIRMED')
  expect([shown, attached, again].map(({stdout}) => stdout.trim().split('\n').at(-1))).toEqual([
    '1 new SBOM',
    '1 new SBOM',
    '0 new SBOMs',
  ])
})
