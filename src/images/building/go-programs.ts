import {cp, readdir} from 'node:fs/promises'
import {basename, join} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {onPath} from '../../state/files/on-path.ts'
import type {GoModule, GoPrograms, Image} from '../image.ts'
import type {Package} from '../inventory/packages.ts'
import {type ProgramRun, runProgram} from './buildah.ts'

/** Fetches no toolchain, links no libraries of this machine, and ignores surrounding workspaces. */
const ENVIRONMENT = {CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOWORK: 'off'}

/** The parts of an image that concern its programs. */
type Holder = Pick<Image, 'name' | 'folder'> & {readonly go: GoPrograms}

/**
 * Builds the programs of an image into `into`: from a copy of a module's sources below `work`, or from the
 * sources in the image's folder. Returns the modules in them. Throws `KK_IMAGE`; `KK_IMAGE_TOOLS` if Go is
 * missing.
 */
export async function goPrograms(
  {name, folder, go}: Holder,
  {work, into, ...run}: ProgramRun & {readonly work: string; readonly into: string},
): Promise<readonly Package[]> {
  expectGo(name)
  const sources = go.module ? await copyPatched({folder, ...go.module}, join(work, 'sources'), run) : folder
  const flags = ['-trimpath', '-buildvcs=false', '-ldflags', '-s -w']
  const inSources = {...run, cwd: sources, env: ENVIRONMENT}
  await runProgram('go', ['build', ...flags, '-o', `${into}/`, ...go.packages], inSources)
  const module = go.module?.name.split('@')[0] ?? folder
  const programs = go.packages.map((path) => join(into, programName(path === '.' ? module : path)))
  const buildInfos = programs.map((path) =>
    runProgram('go', ['version', '-m', '-json', path], {env: ENVIRONMENT}),
  )
  const own = go.module ? [parseModule(go.module.name)] : []
  const modules = [...own, ...(await Promise.all(buildInfos)).flatMap(modulesIn)]
  return [...new Map(modules.map((module) => [module.name, module])).values()]
}

/** As `go build` names a program: after the last part of its package that is no major version. */
function programName(path: string): string {
  return basename(path.replace(/\/v\d+$/, ''))
}

/**
 * Copies the sources of a module into a directory, and applies the patches (`*.patch`) of the image's folder.
 */
async function copyPatched(
  {folder, name, sum}: GoModule & {readonly folder: string},
  sources: string,
  run: ProgramRun,
): Promise<string> {
  await cp(await downloadModule({name, sum}, run), sources, {recursive: true})
  const patches = (await readdir(folder)).filter((file) => file.endsWith('.patch')).sort()
  for (const patch of patches) await runProgram('git', ['apply', join(folder, patch)], {...run, cwd: sources})
  return sources
}

/** Returns the directory of the module's sources in Go's cache. Throws `KK_IMAGE` if their hash differs. */
async function downloadModule({name, sum}: GoModule, run: ProgramRun): Promise<string> {
  // Its hash is compared here; a proxy without Go's database of hashes has those of few modules.
  const env = {...ENVIRONMENT, GONOSUMDB: name.split('@')[0]!}
  const output = await runProgram('go', ['mod', 'download', '-json', name], {...run, env})
  const download = JSON.parse(output) as {readonly Dir: string; readonly Sum: string}
  if (download.Sum === sum) return download.Dir
  throw new KkError(
    'KK_IMAGE',
    `the module ${name} has changed: its hash is ${download.Sum}, expected ${sum}`,
    {
      hint: 'ask the operator of the module proxy (go env GOPROXY)',
    },
  )
}

/** https://pkg.go.dev/runtime/debug#BuildInfo */
interface BuildInfo {
  readonly Main: BuiltIn
  readonly Deps?: readonly (BuiltIn & {readonly Replace?: BuiltIn})[]
}

interface BuiltIn {
  readonly Path: string
  readonly Version?: string
}

/**
 * Returns the modules of a build info, replacements instead of what they replace, without those that have no
 * version.
 */
function modulesIn(buildInfo: string): readonly Package[] {
  const {Main, Deps = []} = JSON.parse(buildInfo) as BuildInfo
  const all = [Main, ...Deps.map(({Replace, ...own}): BuiltIn => Replace ?? own)]
  return all.flatMap(({Path, Version}) =>
    Version?.startsWith('v') ? [parseModule(`${Path}@${Version}`)] : [],
  )
}

function parseModule(module: string): Package {
  const [name = '', version = ''] = module.split('@')
  return {type: 'golang', name, version}
}

function expectGo(image: string): void {
  if (onPath('go', process.env['PATH']) !== undefined) return
  throw new KkError(
    'KK_IMAGE_TOOLS',
    `the image ${image} contains programs built with Go, and go is not on the PATH`,
    {hint: 'install it from https://go.dev/dl/, or specify other images'},
  )
}
