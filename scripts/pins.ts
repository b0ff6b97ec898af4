/**
 * Writes `images/pypi-base/pins/RELEASE.txt`: what the lists of packages of all images of that release name on PyPI,
 * resolved together within OpenStack's upper constraints, with hashes.
 */
import {existsSync} from 'node:fs'
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {parseArgs} from 'node:util'
import {execa} from 'execa'
import {load} from 'js-yaml'
import type {Image} from '../src/images/image.ts'
import {readImages} from '../src/images/inventory/read-images.ts'

const IMAGES = join(import.meta.dirname, '../images')
/** The resolver, as it is on PyPI. */
const UV = 'uv==0.13.9'
/** Debian 13's. */
const PYTHON = ['--python-version', '3.13', '--python-platform', 'x86_64-manylinux_2_40']

interface Release {
  readonly constraints: string
  /** What was published later does not count: the same lists give the same pins. */
  readonly before: string
}

/** Returns what the images of a release ask of PyPI, each once, in order. */
export async function wantedOfPyPI(images: readonly Image[], release: string): Promise<readonly string[]> {
  const lists = await Promise.all(
    images
      .filter((image) => image.arguments.RELEASE === release)
      .map(({folder}) => join(folder, 'packages'))
      // One that adds no packages to those of the image that it stands on has no list.
      .filter((list) => existsSync(list))
      .map((list) => readFile(list, 'utf8')),
  )
  const named = lists.flatMap((list) => [...list.matchAll(/^pypi: (?<names>.+)$/gm)])
  return [...new Set(named.flatMap(({groups}) => groups!.names!.trim().split(/\s+/)))].sort()
}

/** The pins of what is wanted, and of all that it needs, as uv writes them. */
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
    // Only who needs a package counts, not which file named it.
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

if (import.meta.main) {
  const {values} = parseArgs({options: {constraints: {type: 'string'}}})
  await writePins(values.constraints)
}
