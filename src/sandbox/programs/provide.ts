import {createHash} from 'node:crypto'
import {chmod, copyFile, mkdir, rename, rm, symlink} from 'node:fs/promises'
import {basename, join} from 'node:path'
import {execa} from 'execa'
import {KkError} from '../../base/errors.ts'
import {exists} from '../../state/files/exists.ts'
import {makeDirectory} from '../../state/files/make-directory.ts'
import {withLock} from '../../state/lock.ts'
import {type Download, download} from '../../state/network/download.ts'
import {foreignEnvironment} from '../../state/processes/foreign-environment.ts'
import {
  findTool,
  findTools,
  pointTo,
  SANDBOX_TOOLS,
  type Tools,
  toolboxDirectory,
  UNFINISHED,
} from '../../state/tools.ts'
import RELEASES from './releases.json' with {type: 'json'}

/** An official release of a project. VERSION and ARCH stand for themselves in its strings. */
export interface Release {
  readonly version: string
  readonly url: string
  /** The programs to take, with their paths in the archive; an empty path if the file is the program. */
  readonly programs: Readonly<Record<string, string>>
  /** By architecture, in Go's words; without an entry, nothing is downloaded for it. */
  readonly checksums: Readonly<Record<string, string>>
}

interface ProvideOptions {
  readonly env: NodeJS.ProcessEnv
  readonly onProgress: (line: string) => void
  readonly signal?: AbortSignal | undefined
  /** By name; those that are pinned by default. */
  readonly releases?: Readonly<Record<string, Release>>
  readonly patience?: number
  /** Makes the programs in another way if the releases cannot be downloaded. */
  readonly instead?: () => Promise<unknown>
}

const REPORT_MILLISECONDS = 3000

/**
 * Returns the paths of a sandbox's programs. If some are missing, or of another minor version of Kubernetes,
 * downloads the official releases into kk's cache; if that is not possible, what is there is used. A
 * KK_TOOLBOX is complete: nothing is downloaded. Rejects with `KK_TOOLBOX` if programs are missing, or if a
 * download has another checksum.
 */
export async function provideTools(options: ProvideOptions): Promise<Tools> {
  const {env, onProgress, signal, releases = RELEASES, instead} = options
  const isFixed = env.KK_TOOLBOX || process.platform !== 'linux'
  if (isFixed || (await fits(env, releases.kubernetes))) return findTools(env)
  try {
    await withLock(join(toolboxDirectory(env), 'lock'), () => fetchReleases({...options, releases}), {
      signal,
      onWait: ({pid}) => onProgress(`process ${pid} is preparing the programs of the sandbox; waiting`),
    })
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof KkError) throw error
    onProgress(`the programs of the sandbox cannot be downloaded: ${reason(error)}`)
    await instead?.()
  }
  return findTools(env)
}

/** Returns true if all programs are there, with the minor version of Kubernetes that is pinned. */
async function fits(env: NodeJS.ProcessEnv, kubernetes: Release | undefined): Promise<boolean> {
  const needed = SANDBOX_TOOLS.filter((name) => name !== 'kwok-kubelet')
  const simulator = findTool('kwok-kubelet', env) ?? findTool('kwok', env)
  const server = findTool('kube-apiserver', env)
  if (simulator === undefined || server === undefined) return false
  if (needed.some((name) => findTool(name, env) === undefined)) return false
  const {stdout = ''} = await execa(server, ['--version'], {
    env: foreignEnvironment(env),
    extendEnv: false,
    reject: false,
  })
  return minor(stdout) === minor(kubernetes?.version ?? '')
}

function minor(version: string): string | undefined {
  return /v\d+\.\d+/.exec(version)?.[0]
}

interface FetchOptions extends ProvideOptions {
  readonly releases: Readonly<Record<string, Release>>
}

/** Downloads, verifies and unpacks all releases, and makes them the newest toolbox, all or none. */
async function fetchReleases(options: FetchOptions): Promise<void> {
  const {env, onProgress, releases} = options
  const home = toolboxDirectory(env)
  const wanted = Object.values(releases).map((release) => resolved(release))
  const key = createHash('sha256').update(JSON.stringify(wanted)).digest('hex').slice(0, 16)
  if (!(await exists(join(home, key)))) {
    const files = env.KK_TOOLBOX_ARCHIVES || join(home, '.downloads')
    await makeDirectory(files)
    const downloads = wanted.map((each) => ({...each, file: join(files, fileName(each))}))
    onProgress(`downloading the programs of the sandbox: ${versions(releases)}`)
    await downloadAll(downloads, options)
    const unfinished = join(home, `${UNFINISHED}${key}`)
    await rm(unfinished, {recursive: true, force: true})
    await makeDirectory(join(unfinished, 'bin'))
    for (const each of downloads) await unpack(each, join(unfinished, 'bin'))
    await symlink('helm4', join(unfinished, 'bin/helm'))
    await rename(unfinished, join(home, key))
    if (!env.KK_TOOLBOX_ARCHIVES) await rm(files, {recursive: true})
  }
  await pointTo(home, 'current', key)
}

interface Wanted {
  readonly url: string
  readonly checksum: string
  readonly programs: readonly (readonly [name: string, path: string])[]
}

/** Returns the release for this machine. */
function resolved(release: Release): Wanted {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const url = releaseUrl(release, arch)
  const checksum = release.checksums[arch]
  if (checksum === undefined) throw new Error(`kk knows no checksum of ${url}`)
  const programs = Object.entries(release.programs)
  return {url, checksum, programs: programs.map(([name, path]) => [name, filled(path, release, arch)])}
}

/** Returns the address of a release for an architecture, in Go's words. */
export function releaseUrl(release: Release, arch: string): string {
  return filled(release.url, release, arch)
}

function filled(text: string, {version}: Release, arch: string): string {
  return text.replaceAll('VERSION', version).replaceAll('ARCH', arch)
}

/** Returns a name that is unique for the content. */
function fileName({url, checksum}: Wanted): string {
  return `${checksum.split(':')[1]!.slice(0, 16)}-${basename(url)}`
}

function versions(releases: Readonly<Record<string, Release>>): string {
  return Object.entries(releases)
    .map(([name, {version}]) => `${name} ${version}`)
    .join(', ')
}

/** Downloads at the same time; the first failure ends the others, which continue the next time. */
async function downloadAll(downloads: readonly Download[], options: FetchOptions): Promise<void> {
  const {env, onProgress, signal, patience} = options
  const failure = new AbortController()
  const sizes = new Map<string, readonly [there: number, whole: number | undefined]>()
  const report = setInterval(() => onProgress(progress([...sizes.values()])), REPORT_MILLISECONDS)
  const one = async (wanted: Download) => {
    const onBytes = (there: number, whole: number | undefined) => void sizes.set(wanted.url, [there, whole])
    const signals = AbortSignal.any([failure.signal, ...(signal ? [signal] : [])])
    await download(wanted, {env, onBytes, signal: signals, ...(patience && {patience})})
  }
  try {
    const all = downloads.map((wanted) => one(wanted).catch((error: unknown) => failure.abort(error)))
    await Promise.all(all)
    failure.signal.throwIfAborted()
  } finally {
    clearInterval(report)
  }
}

/** Returns the sum of the sizes, in megabytes; the whole only if each server states it. */
function progress(sizes: readonly (readonly [there: number, whole: number | undefined])[]): string {
  const sum = (numbers: readonly number[]) => Math.round(numbers.reduce((a, b) => a + b, 0) / 1e6)
  const there = sum(sizes.map(([size]) => size))
  const wholes = sizes.map(([, whole]) => whole).filter((whole) => whole !== undefined)
  const of = sizes.length > 0 && wholes.length === sizes.length ? ` of ${sum(wholes)}` : ''
  return `downloading: ${there}${of} MB`
}

/** Places the programs of a verified download. */
async function unpack({programs, file}: Wanted & Download, bin: string): Promise<void> {
  const scratch = join(bin, '.archive')
  await mkdir(scratch)
  const paths = programs.map(([, path]) => path).filter((path) => path !== '')
  const argv = ['--extract', '--gzip', '--no-same-owner', '--directory', scratch, '--file', file, ...paths]
  if (paths.length > 0) await execa('tar', argv, {env: foreignEnvironment(process.env), extendEnv: false})
  for (const [name, path] of programs) {
    const target = join(bin, name)
    await (path === '' ? copyFile(file, target) : rename(join(scratch, path), target))
    await chmod(target, 0o755)
  }
  await rm(scratch, {recursive: true})
}

/** Returns the messages of a failed request: fetch itself says only that it failed. */
function reason(error: unknown): string {
  const {message, cause} = error as Error
  return cause instanceof Error ? `${message} (${cause.message})` : message
}
