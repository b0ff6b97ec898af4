/**
 * `npm run package`: builds the packages in `dist/packages/`: for each architecture an archive, a Debian
 * package and an image of kk, and for all of them an SBOM and checksums. `--arch x64` builds those of one,
 * `--output-dir DIR` writes them elsewhere. With `--lock-debian` it only writes the lock of the images'
 * Debian packages.
 */
import {createHash} from 'node:crypto'
import {mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync} from 'node:fs'
import {mkdtemp, rm} from 'node:fs/promises'
import {join, resolve} from 'node:path'
import {parseArgs} from 'node:util'
import pjson from '../package.json' with {type: 'json'}
import {assemble, type Made, makeAssets} from './build/executable.ts'
import {type Entry, gzipped, tar} from './package/archive.ts'
import {baseFiles} from './package/base-files.ts'
import {contents, serviceFiles} from './package/contents.ts'
import {debPackage} from './package/deb.ts'
import {lockDebian, readDebianLock} from './package/debian.ts'
import {helmFor} from './package/helm-for.ts'
import {imageArchive} from './package/image.ts'
import {nodeFor} from './package/node-for.ts'
import {ARCHITECTURES, type Architecture, OTHER_NAMES, type Release, releaseDate} from './package/release.ts'
import {sbom} from './package/sbom.ts'

const ROOT = join(import.meta.dirname, '..')
/** The download cache. */
const CACHE = join(ROOT, 'dist/package-cache')

const {values} = parseArgs({
  options: {
    arch: {type: 'string', multiple: true},
    'output-dir': {type: 'string'},
    'lock-debian': {type: 'boolean'},
  },
})
if (values['lock-debian']) {
  await lockDebian(new Date())
  process.exit()
}
const architectures = ARCHITECTURES.filter((arch) => values.arch?.includes(arch) ?? true)
if (architectures.length < (values.arch?.length ?? 0))
  throw new Error(`--arch ${values.arch!.join(', ')}: expected ${ARCHITECTURES.join(' or ')}`)
// V8's caches fit the Node that makes them, and every machine must make the same ones.
const own = realpathSync(await nodeFor(process.arch as Architecture, {root: ROOT, cache: CACHE}))
if (realpathSync(process.execPath) !== own) process.execve!(own, [own, ...process.argv.slice(1)])

const OWN_OUTPUT = join(ROOT, 'dist/packages')
const output = resolve(values['output-dir'] ?? OWN_OUTPUT)
// Other files in a directory that the user names are the user's.
if (output === OWN_OUTPUT) rmSync(output, {recursive: true, force: true})
for (const each of [output, CACHE]) mkdirSync(each, {recursive: true})
// In the repository, because bundles contain the relative paths from here to sources.
const directory = await mkdtemp(join(ROOT, 'dist/package-'))
try {
  const made = await makeAssets(directory)
  const release: Release = {
    version: pjson.version,
    date: await releaseDate(ROOT, process.env),
    commit: made.build.commit,
    licenses: readFileSync(join(directory, 'assets/licenses.txt'), 'utf8'),
  }
  const written: [string, Buffer][] = []
  for (const arch of architectures) written.push(...(await packagesOf(arch, made, release)))
  // helm's components do not depend on the architecture.
  const {modules} = await helmFor(architectures[0]!, CACHE)
  const debian = readDebianLock().packages[architectures[0]!]
  const parts = sbom(ROOT, {bundles: made.sizes.values(), debian, modules}, release)
  written.push([`kk-${release.version}.cdx.json`, Buffer.from(parts)])
  const sums = written.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, bytes]) => sumLine(name, bytes))
  for (const [name, bytes] of [...written, ['SHA256SUMS', Buffer.from(sums.join(''))] as const]) {
    writeFileSync(join(output, name), bytes)
    console.log(`${(bytes.length / 2 ** 20).toFixed(1).padStart(7)} MB  ${name}`)
  }
} finally {
  await rm(directory, {recursive: true})
}

async function packagesOf(
  arch: Architecture,
  made: Made,
  release: Release,
): Promise<readonly [string, Buffer][]> {
  const executable = join(made.directory, `kk-${arch}`)
  const node = await nodeFor(arch, {root: ROOT, cache: CACHE})
  await assemble(made, {node, output: executable, foreign: arch !== process.arch})
  const kk = readFileSync(executable)
  const name = `kk-${release.version}-linux-${arch}`
  const [base, helm] = [await baseFiles(arch, CACHE), await helmFor(arch, CACHE)]
  const [tarball, deb, image] = await Promise.all([
    tarballOf(kk, name, release),
    debPackage(kk, arch, release),
    imageArchive(kk, {arch, release, base, helm: helm.files}),
  ])
  return [
    [`${name}.tar.gz`, tarball],
    [`kk_${release.version}_${OTHER_NAMES[arch]}.deb`, deb],
    [`${name}.oci.tar`, image],
  ]
}

async function tarballOf(kk: Buffer, name: string, release: Release): Promise<Buffer> {
  const {unit, defaults} = serviceFiles()
  const entries: readonly Entry[] = [
    ...(await contents(kk, 'tarball', release)),
    {path: 'share/doc/kk/kk-serve.service', content: unit},
    {path: 'share/doc/kk/kk-serve.default', content: defaults},
  ]
  return gzipped(await tar(entries, {time: release.date, start: `${name}/`}))
}

function sumLine(name: string, bytes: Buffer): string {
  return `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`
}
