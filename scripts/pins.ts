/**
 * Writes `images/pypi-base/pins/RELEASE.txt`: the PyPI packages in the lists of all images of that release,
 * resolved together within OpenStack's upper constraints, with hashes. With `--toolbox`, writes instead the
 * missing checksums of the official releases of which a sandbox consists: after a change of a version, delete
 * its checksums. Compare the result with what the project publishes before you commit it.
 */
import {createHash} from 'node:crypto'
import {existsSync} from 'node:fs'
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {parseArgs} from 'node:util'
import {execa} from 'execa'
import {load} from 'js-yaml'
import type {Image} from '../src/images/image.ts'
import {readImages} from '../src/images/inventory/read-images.ts'
import {type Release as Official, releaseUrl} from '../src/sandbox/programs/provide.ts'
import {fetchThroughProxy} from '../src/state/network/fetch.ts'

const IMAGES = join(import.meta.dirname, '../images')
/** The resolver, as it is on PyPI. */
const UV = 'uv==0.13.9'
/** Debian 13's version. */
const PYTHON = ['--python-version', '3.13', '--python-platform', 'x86_64-manylinux_2_40']

interface Release {
  readonly constraints: string
  /** Later uploads do not count, so the same lists give the same pins. */
  readonly before: string
}

/** Returns the PyPI packages of the images of a release, each once, sorted. */
export async function wantedOfPyPI(images: readonly Image[], release: string): Promise<readonly string[]> {
  const lists = await Promise.all(
    images
      .filter((image) => image.arguments.RELEASE === release)
      .map(({folder}) => join(folder, 'packages'))
      // An image without packages in addition to its parent's has no list.
      .filter((list) => existsSync(list))
      .map((list) => readFile(list, 'utf8')),
  )
  const named = lists.flatMap((list) => [...list.matchAll(/^pypi: (?<names>.+)$/gm)])
  return [...new Set(named.flatMap(({groups}) => groups!.names!.trim().split(/\s+/)))].sort()
}

/** The pins of the packages and their dependencies, in uv's format. */
async function resolve(wanted: readonly string[], {constraints, before}: Release): Promise<string> {
  const work = await mkdtemp(join(tmpdir(), 'kk-pins-'))
  try {
    await execa('python3', ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', work, UV])
    const input = join(work, 'wanted.txt')
    await writeFile(input, `${wanted.join('\n')}\n`)
    const {stdout} = await execa(
      join(work, 'bin/uv'),
      [
        ...['pip', 'compile', input, '--constraints', constraints, ...PYTHON, '--exclude-newer', before],
        ...['--generate-hashes', '--no-header', '--annotation-style', 'line', '--quiet', '--no-config'],
      ],
      {cwd: work},
    )
    // Only the dependents of a package count, not the file that names it.
    return stdout
      .replaceAll(/(?<=# via .*)(?:, )?-[rc] [^,\n]+/g, '')
      .replaceAll('# via , ', '# via ')
      .replaceAll(/\n +# via *$/gm, '')
  } finally {
    await rm(work, {recursive: true})
  }
}

async function writePins(constraints: string | undefined): Promise<void> {
  const inventory = load(await readFile(join(IMAGES, 'images.yaml'), 'utf8')) as {
    readonly releases: Readonly<Record<string, Release>>
  }
  const images = await readImages(IMAGES)
  for (const [name, release] of Object.entries(inventory.releases)) {
    const pins = await resolve(await wantedOfPyPI(images, name), {
      ...release,
      ...(constraints && {constraints}),
    })
    const head = `# Made by npm run pins, within ${release.constraints}, of what was on PyPI on ${release.before}.`
    await writeFile(join(IMAGES, `pypi-base/pins/${name}.txt`), `${head}\n${pins}\n`)
  }
}

const RELEASES = join(import.meta.dirname, '../src/sandbox/programs/releases.json')

/** Downloads the files that have no checksum, and writes those of their content. */
async function pinToolbox(): Promise<void> {
  const releases = JSON.parse(await readFile(RELEASES, 'utf8')) as Record<string, Official>
  for (const release of Object.values(releases)) {
    const checksums: Record<string, string> = {...release.checksums}
    for (const arch of ['amd64', 'arm64']) checksums[arch] ??= await checksumOf(releaseUrl(release, arch))
    Object.assign(release, {checksums})
  }
  await writeFile(RELEASES, `${JSON.stringify(releases, undefined, 2)}\n`)
  await execa(join(import.meta.dirname, '../node_modules/.bin/biome'), ['format', '--write', RELEASES])
}

async function checksumOf(url: string): Promise<string> {
  const response = await fetchThroughProxy(url)
  if (!response.ok || response.body === null) throw new Error(`${url}: HTTP ${response.status}`)
  const hash = createHash('sha256')
  for await (const chunk of response.body) hash.update(chunk)
  return `sha256:${hash.digest('hex')}`
}

if (import.meta.main) {
  const {values} = parseArgs({options: {constraints: {type: 'string'}, toolbox: {type: 'boolean'}}})
  await (values.toolbox ? pinToolbox() : writePins(values.constraints))
}
