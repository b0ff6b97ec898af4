import {cp, readFile, writeFile} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {execa} from 'execa'
import {expect, inject, it} from 'vitest'
import {openDistribution} from '../../src/images/registry/distribution.ts'
import {blocksOf, readPages} from '../docs/support/pages.ts'
import {kk, kkEnvironment} from '../e2e/support/kk.ts'
import {pushImage} from '../images/support/push-image.ts'
import {startRegistry} from '../support/registry.ts'
import {testDirectory} from '../support/test-directory.ts'

const ROOT = join(import.meta.dirname, '../..')

/** The guides' sandboxes under a name of the test's own, so that they go with the run. */
function withSandbox(script: string, name: string): string {
  return script
    .replaceAll(/--sandbox(-name [\w-]+)?(?![\w-])/g, `--sandbox-name ${name}`)
    .replaceAll(/kk sandbox (\w+)\b(?! --sandbox-name)/g, `kk sandbox $1 --sandbox-name ${name}`)
}

/** A guide may leave a server running, and gpg its agent; the test waits for all that can write. */
const END_SERVERS = `trap 'kill $(jobs -p) 2>/dev/null || true; gpgconf --kill gpg-agent' EXIT`

/** The registry of guides; a real one stands in for it. */
const REGISTRY = 'registry.example.org'

/**
 * Lets the charts of a clone take their images from a registry, which gets one by each name that the
 * environment needs.
 */
async function fillRegistry(clone: string, host: string): Promise<void> {
  const defaults = join(clone, 'charts/common/templates/context/_defaults.tpl')
  await writeFile(defaults, (await readFile(defaults, 'utf8')).replaceAll('localhost:5010', host))
  const words = ['images', 'list', '-e', 'environments/all-in-one.yaml', '--output', 'json']
  const {images} = JSON.parse((await kk(words, {cwd: clone})).stdout) as {images: {image: string}[]}
  for (const {image} of images) {
    const [, repository = '', tag = ''] = /^[^/]+\/(.+):([^:]+)$/.exec(image) ?? []
    await pushImage(openDistribution({host, env: {}}), [repository, tag])
  }
}

/** The lines of a text, for comparing: widths, ports, seconds and the like are not the same each time. */
function comparable(text: string): string[] {
  return text.split('\n').map((line) => line.replaceAll(/\d+/g, '0').replaceAll(/\s+/g, ' ').trim())
}

/** A directory with what a clone has that a guide uses. */
async function makeClone(): Promise<string> {
  const clone = testDirectory()
  for (const folder of ['charts', 'environments'])
    await cp(join(ROOT, folder), join(clone, folder), {recursive: true})
  // The charts that say nothing of what they require.
  const unannotated = 'test/fixtures/unannotated'
  await cp(join(ROOT, unannotated), join(clone, unannotated), {recursive: true})
  return clone
}

const guides = readPages()
  .map((page) => ({path: page.path, blocks: blocksOf(page)}))
  .filter(({blocks}) => blocks.some(({info}) => info === 'sh test'))

it('the pages with tested commands are these', () => {
  expect(guides.map(({path}) => path)).toEqual([
    'README.md',
    'docs/bring-your-own-charts.md',
    'docs/ci.md',
    'docs/helm.md',
    'docs/installing.md',
    'docs/kolla-configuration.md',
    'docs/leaving.md',
    'docs/operating.md',
    'docs/production.md',
    'docs/publishing.md',
    'docs/quick-start.md',
    'docs/rest-api.md',
    'docs/sites-without-internet.md',
    'docs/writing-a-plugin.md',
  ])
})

it.each(guides)('the commands of $path work verbatim, and print the shown output', async ({path, blocks}) => {
  const {kk: binary, sandbox, home} = inject('run')
  const name = `${sandbox}-${path.replaceAll(/\W+/g, '-').toLowerCase()}`.slice(0, 40).replace(/-$/, '')
  const clone = await makeClone()
  const lines = blocks.filter(({info}) => info === 'sh test').map(({text}) => text)
  await using registry = lines.some((text) => text.includes(REGISTRY)) ? await startRegistry() : undefined
  const filled = (text: string) => text.replaceAll(REGISTRY, registry?.host ?? REGISTRY)
  const script = withSandbox(filled(lines.join('\n')), name)
  if (registry && script.includes('kk images mirror')) await fillRegistry(clone, registry.host)
  const {KUBECONFIG: _, ...environment} = kkEnvironment()

  const {exitCode, all} = await execa('bash', ['-euo', 'pipefail', '-c', `${END_SERVERS}\n${script}`], {
    cwd: clone,
    env: {...environment, PATH: `${dirname(binary)}:${environment['PATH']}`, TMPDIR: home},
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
    all: true,
  }).finally(() => kk(['sandbox', 'down', '--sandbox-name', name]))

  expect(exitCode, all).toBe(0)
  const printed = comparable(all)
  const promised = blocks
    .filter(({info}) => info === 'text output')
    .flatMap(({text}) => comparable(filled(text)))
  expect(
    promised.filter((line) => line !== '' && !printed.includes(line)),
    all,
  ).toEqual([])
})
