/**
 * The Debian packages of the images, as `debian.json` has them. `npm run package -- --lock-debian` writes
 * that file again, from the current state of Debian 13, as apt has verified it.
 */
import {createHash} from 'node:crypto'
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {mkdir, mkdtemp, readFile, rename, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {execa} from 'execa'
import {ARCHITECTURES, type Architecture, OTHER_NAMES} from './release.ts'

const SUITE = 'trixie'
const ARCHIVE = 'http://deb.debian.org/debian/'
const LOCK = join(import.meta.dirname, 'debian.json')

/** Libraries of the Node inside kk; helm's certificates; and a shell, for the steps of workflows. */
const WANTED = ['libc6', 'libgcc-s1', 'libstdc++6', 'libatomic1', 'ca-certificates', 'busybox-static']

export interface DebianPackage {
  readonly name: string
  readonly version: string
  /** Below the archive's root. */
  readonly path: string
  readonly sha256: string
}

export interface DebianLock {
  /** The time when Debian's archive had all of them, in snapshot.debian.org's format. */
  readonly seen: string
  readonly packages: Readonly<Record<Architecture, readonly DebianPackage[]>>
}

export function readDebianLock(): DebianLock {
  return JSON.parse(readFileSync(LOCK, 'utf8')) as DebianLock
}

/** Writes the lock from the current state of Debian 13. Needs apt, and its archive. */
export async function lockDebian(now: Date): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'kk-debian-'))
  try {
    const packages = await Promise.all(
      ARCHITECTURES.map(async (arch) => {
        const env = await aptOfDebian(arch, join(directory, arch))
        return [arch, await packagesOf(arch, env)] as const
      }),
    )
    const seen = now.toISOString().replaceAll(/[-:]|\.\d+/g, '')
    writeFileSync(LOCK, `${JSON.stringify({seen, packages: Object.fromEntries(packages)}, undefined, 2)}\n`)
  } finally {
    await rm(directory, {recursive: true})
  }
}

/**
 * Returns variables with which apt uses Debian 13 of an architecture, and nothing of this machine; its files
 * are in a directory.
 */
export async function aptOfDebian(
  arch: Architecture,
  directory: string,
): Promise<Readonly<Record<string, string>>> {
  for (const path of ['lists/partial', 'cache/archives/partial'])
    mkdirSync(join(directory, path), {recursive: true})
  const keys = '/usr/share/keyrings/debian-archive-keyring.gpg'
  await writeFile(join(directory, 'sources.list'), `deb [signed-by=${keys}] ${ARCHIVE} ${SUITE} main\n`)
  await writeFile(
    join(directory, 'apt.conf'),
    [
      `Dir::Etc::sourcelist "${directory}/sources.list";`,
      'Dir::Etc::sourceparts "-";',
      `Dir::State::lists "${directory}/lists";`,
      `Dir::Cache "${directory}/cache";`,
      'Dir::State::status "/dev/null";',
      'APT::Sandbox::User "root";',
      `APT::Architecture "${OTHER_NAMES[arch]}";`,
      `APT::Architectures {"${OTHER_NAMES[arch]}";};`,
      'Acquire::Languages "none";',
      'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";',
      '',
    ].join('\n'),
  )
  const env = {APT_CONFIG: join(directory, 'apt.conf')}
  await execa('apt-get', ['update', '--quiet'], {env})
  return env
}

async function packagesOf(
  arch: Architecture,
  env: Readonly<Record<string, string>>,
): Promise<readonly DebianPackage[]> {
  const {stdout} = await execa('apt-cache', ['show', '--no-all-versions', ...WANTED], {env})
  const found = stdout.split('\n\n').map((text) => {
    const field = (name: string) => new RegExp(`^${name}: (.+)$`, 'm').exec(text)?.[1] ?? ''
    return {
      name: field('Package'),
      version: field('Version'),
      path: field('Filename'),
      sha256: field('SHA256'),
    }
  })
  return WANTED.map((name) => {
    const one = found.find((each) => each.name === name)
    if (one) return one
    throw new Error(`Debian ${SUITE} has no ${name} of ${arch}`)
  })
}

interface Places {
  /** The directory of the download cache. */
  readonly cache: string
  /** URLs of Debian's archive, each with a trailing slash, in the order of the attempts. */
  readonly archives: readonly string[]
}

/**
 * Returns the file of a package, verified against the lock, from any source. Debian's archive drops a version
 * with the next point release; its snapshots keep it.
 */
export async function fetched({path, sha256}: DebianPackage, {cache, archives}: Places): Promise<string> {
  const file = join(cache, `${sha256}.deb`)
  const kept = await readFile(file).catch(() => undefined)
  if (kept && digest(kept) === sha256) return file
  const reasons: string[] = []
  for (const archive of archives) {
    const url = `${archive}${path}`
    const bytes = await download(url)
    if (typeof bytes !== 'string' && digest(bytes) === sha256) {
      await mkdir(cache, {recursive: true})
      await writeFile(`${file}.${process.pid}`, bytes)
      await rename(`${file}.${process.pid}`, file)
      return file
    }
    reasons.push(`  ${url}: ${typeof bytes === 'string' ? bytes : `other bytes, ${digest(bytes)}`}`)
  }
  throw new Error(
    [
      `expected a package of Debian 13 with SHA-256 ${sha256}:`,
      ...reasons,
      'where Debian has replaced it and no snapshot is in reach, npm run package -- --lock-debian takes what it has now, which makes other images',
    ].join('\n'),
  )
}

/** The bytes at a URL, or the reason of the failure. */
async function download(url: string): Promise<Buffer | string> {
  try {
    const answer = await fetch(url)
    if (answer.ok) return Buffer.from(await answer.arrayBuffer())
    return String(answer.status)
  } catch (error) {
    const {cause, message} = error as Error & {readonly cause?: NodeJS.ErrnoException}
    return cause?.code ?? message
  }
}

/**
 * Returns Debian's archives: this machine's mirror, if it is one of Debian, the archive, and its snapshot of
 * that time.
 */
export async function debianArchives({seen}: DebianLock): Promise<readonly string[]> {
  const {stdout = ''} = await execa('apt-get', ['indextargets', '--format', '$(REPO_URI)'], {reject: false})
  const mirror = stdout.split('\n').filter((uri) => /^https?:.*\/debian\/$/.test(uri))
  return [...new Set([...mirror, ARCHIVE, `https://snapshot.debian.org/archive/debian/${seen}/`])]
}

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
