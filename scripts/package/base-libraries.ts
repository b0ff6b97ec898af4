import {createHash} from 'node:crypto'
import {mkdir, readFile, rename, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {buffer} from 'node:stream/consumers'
import {execa} from 'execa'
import {extract} from 'tar-stream'
import type {Entry} from './archive.ts'
import {type Architecture, OTHER_NAMES} from './release.ts'

interface Library {
  /** Below the pool; ARCH stands for Debian's name of the processor. */
  readonly path: string
  readonly sha256: Readonly<Record<Architecture, string>>
}

/** What the Node inside kk is linked to, of Debian 13. A version that Debian has replaced is no longer there: take the next one. */
const LIBRARIES: readonly Library[] = [
  {
    path: 'g/glibc/libc6_2.41-12+deb13u5_ARCH.deb',
    sha256: {
      x64: 'b59b0625cd1a791375d40dab23a4d5d3d0641e3d0a773501becdc3725b7f99cf',
      arm64: '0966fc3da1a26cc57647c68b5736f791b6e7eb498173a7993f63b6c89b4ed4f5',
    },
  },
  {
    path: 'g/gcc-14/libgcc-s1_14.2.0-19_ARCH.deb',
    sha256: {
      x64: '3c71917b490d1a17aed43196a2787a256ecf060526cdb20216a74bedc061b150',
      arm64: '1108bc87879833d6d9a145f22a4a15cddb34e065b4b5f4b97bee586adbac2851',
    },
  },
  {
    path: 'g/gcc-14/libstdc++6_14.2.0-19_ARCH.deb',
    sha256: {
      x64: 'ab1fa05837aa7a92aae748fd07a18a35f7d18bb4a71c4724fe2bbf0e32089de0',
      arm64: '6669b0c52a2e7c6af9adfdabce3ff6e286065cdfbc7b85280862b5f799daebee',
    },
  },
  {
    path: 'g/gcc-14/libatomic1_14.2.0-19_ARCH.deb',
    sha256: {
      x64: '212b399aae2f7299203d261a57e49372e09565a9a5ea971905f94a3960366c05',
      arm64: '7ccff90234484bf21ae5ecb79d25b6a84b2f4038f65dd139085b2e3a937cd8dc',
    },
  },
]

/** The libraries, with the loader, and their licences. */
const TAKEN =
  /^\.?\/?(usr\/lib(?:64)?\/(?:[\w-]+-linux-gnu\/)?(?:lib|ld-)[\w+.-]+\.so[\w.]*|usr\/share\/doc\/[^/]+\/copyright)$/

/** Where Debian has had directories since they moved below `/usr`. */
const MERGED: readonly Entry[] = ['lib', 'lib64'].map((path) => ({path, content: {linkTo: `usr/${path}`}}))

/** Returns the files of Debian that kk needs in an image where nothing else is. They are fetched once, into `cache`. */
export async function baseLibraries(arch: Architecture, cache: string): Promise<readonly Entry[]> {
  const packages = await Promise.all(LIBRARIES.map((library) => fetched(library, arch, cache)))
  const files = await Promise.all(packages.map(filesOf))
  return [...MERGED, ...files.flat()]
}

async function fetched({path, sha256}: Library, arch: Architecture, cache: string): Promise<string> {
  const file = join(cache, `${sha256[arch]}.deb`)
  const kept = await readFile(file).catch(() => undefined)
  if (kept && digest(kept) === sha256[arch]) return file
  const url = `${await mirror()}pool/main/${path.replace('ARCH', OTHER_NAMES[arch])}`
  const answer = await fetch(url)
  if (!answer.ok) throw new Error(`${url}: ${answer.status}; expected a package of Debian 13`)
  const bytes = Buffer.from(await answer.arrayBuffer())
  if (digest(bytes) !== sha256[arch])
    throw new Error(`${url}: expected ${sha256[arch]}, got ${digest(bytes)}`)
  await mkdir(cache, {recursive: true})
  await writeFile(`${file}.${process.pid}`, bytes)
  await rename(`${file}.${process.pid}`, file)
  return file
}

/** Returns the address of the mirror of Debian's that this machine takes packages from, with a slash at its end. */
async function mirror(): Promise<string> {
  const {stdout} = await execa('apt-get', ['indextargets', '--format', '$(REPO_URI)'])
  const found = stdout.split('\n').find((each) => each !== '' && !each.includes('security'))
  if (found === undefined) throw new Error('expected a mirror of Debian in the sources of apt-get')
  return found
}

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

async function filesOf(deb: string): Promise<readonly Entry[]> {
  const {stdout} = await execa('dpkg-deb', ['--fsys-tarfile', deb], {encoding: 'buffer'})
  const archive = extract()
  archive.end(stdout)
  const entries: Entry[] = []
  for await (const entry of archive) {
    const {name, type, linkname, mode = 0o644} = entry.header
    const path = TAKEN.exec(name)?.[1]
    const bytes = await buffer(entry)
    if (path === undefined) continue
    if (type === 'symlink' && linkname) entries.push({path, content: {linkTo: linkname}})
    if (type === 'file') entries.push({path, mode: mode & 0o755, content: bytes})
  }
  return entries
}
