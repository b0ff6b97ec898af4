/**
 * Debian's packages that the images stand on, as `debian.json` has them. `npm run package -- --lock-debian` writes that file anew, of
 * what Debian 13 has by then, as apt has verified it.
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

/** What the Node inside kk is linked to; whom helm trusts; and a shell, for the steps of workflows. */
const WANTED = ['libc6', 'libgcc-s1', 'libstdc++6', 'libatomic1', 'ca-certificates', 'busybox-static']

export interface DebianPackage {
  readonly name: string
  readonly version: string
  /** Below the archive's root. */
  readonly path: string
  readonly sha256: string
}

export interface DebianLock {
  /** When Debian's archive had all of them, as snapshot.debian.org writes it. */
  readonly seen: string
  readonly packages: Readonly<Record<Architecture, readonly DebianPackage[]>>
}

export function readDebianLock(): DebianLock {
  return JSON.parse(readFileSync(LOCK, 'utf8')) as DebianLock
}

/** Writes the lock of what Debian 13 has now. Needs apt, and asks its archive. */
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

/** Returns variables by which apt knows Debian 13 of a processor, and nothing of this machine; its files go into a directory. */
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
  /** Where what is fetched is kept. */
  readonly cache: string
  /** Addresses of Debian's archive, each with a slash at its end, in the order in which they are asked. */
  readonly archives: readonly string[]
}

/**
 * Returns the file of a package, which is what the lock says wherever it comes from. Debian's archive loses a version with the next
 * point release; its snapshots keep it.
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

/** The bytes at an address, or why there are none. */
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

/** Returns Debian's archives: the mirror that this machine takes packages from, if it is one of Debian, the archive, and what it was then. */
export async function debianArchives({seen}: DebianLock): Promise<readonly string[]> {
  const {stdout = ''} = await execa('apt-get', ['indextargets', '--format', '$(REPO_URI)'], {reject: false})
  const mirror = stdout.split('\n').filter((uri) => /^https?:.*\/debian\/$/.test(uri))
  return [...new Set([...mirror, ARCHIVE, `https://snapshot.debian.org/archive/debian/${seen}/`])]
}

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
