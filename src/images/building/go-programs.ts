import {cp, readdir} from 'node:fs/promises'
import {basename, join} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {onPath} from '../../state/files/on-path.ts'
import type {GoModule, GoPrograms, Image} from '../image.ts'
import type {Package} from '../inventory/packages.ts'
import {type ProgramRun, runProgram} from './buildah.ts'

/** A toolchain is not fetched, nothing is linked to libraries of this machine, and no workspace around it counts. */
const ENVIRONMENT = {CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOWORK: 'off'}

/** An image, as far as its programs are concerned. */
type Holder = Pick<Image, 'name' | 'folder'> & {readonly go: GoPrograms}

/**
 * Builds the programs of an image, and leaves them in `into`: of a module's sources, in a copy below `work`, or of those in the
 * folder of the image. Returns the modules in them. Throws `KK_IMAGE`; `KK_IMAGE_TOOLS` without a Go.
 */
export async function goPrograms(
  {name, folder, go}: Holder,
  {work, into, ...run}: ProgramRun & {readonly work: string; readonly into: string},
): Promise<readonly Package[]> {
  expectGo(name)
  const sources = go.module ? await patched({folder, ...go.module}, join(work, 'sources'), run) : folder
  const flags = ['-trimpath', '-buildvcs=false', '-ldflags', '-s -w']
  const inSources = {...run, cwd: sources, env: ENVIRONMENT}
  await runProgram('go', ['build', ...flags, '-o', `${into}/`, ...go.packages], inSources)
  const programs = go.packages.map((path) => join(into, basename(join(sources, path))))
  const said = programs.map((path) => runProgram('go', ['version', '-m', '-json', path], {env: ENVIRONMENT}))
  const own = go.module ? [moduleOf(go.module.name)] : []
  const modules = [...own, ...(await Promise.all(said)).flatMap(modulesIn)]
  return [...new Map(modules.map((module) => [module.name, module])).values()]
}

/** Copies the sources of a module into a directory, and changes them as the patches (`*.patch`) in the folder of the image say. */
async function patched(
  {folder, name, sum}: GoModule & {readonly folder: string},
  sources: string,
  run: ProgramRun,
): Promise<string> {
  await cp(await fetched({name, sum}, run), sources, {recursive: true})
  const patches = (await readdir(folder)).filter((file) => file.endsWith('.patch')).sort()
  for (const patch of patches) await runProgram('git', ['apply', join(folder, patch)], {...run, cwd: sources})
  return sources
}

/** Returns where Go has the sources of the module; one with another hash is refused. */
async function fetched({name, sum}: GoModule, run: ProgramRun): Promise<string> {
  const said = await runProgram('go', ['mod', 'download', '-json', name], {...run, env: ENVIRONMENT})
  const found = JSON.parse(said) as {readonly Dir: string; readonly Sum: string}
  if (found.Sum === sum) return found.Dir
  throw new KkError('KK_IMAGE', `the module ${name} is not what it was: ${found.Sum} instead of ${sum}`, {
    hint: 'ask whoever runs the module proxy (go env GOPROXY)',
  })
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

/** Of a module that another one takes the place of, that one; what has no version, as the folder of an image, is not among them. */
function modulesIn(said: string): readonly Package[] {
  const {Main, Deps = []} = JSON.parse(said) as BuildInfo
  const all = [Main, ...Deps.map(({Replace, ...own}): BuiltIn => Replace ?? own)]
  return all.flatMap(({Path, Version}) => (Version?.startsWith('v') ? [moduleOf(`${Path}@${Version}`)] : []))
}

function moduleOf(module: string): Package {
  const [name = '', version = ''] = module.split('@')
  return {type: 'golang', name, version}
}

function expectGo(image: string): void {
  if (onPath('go', process.env['PATH']) !== undefined) return
  throw new KkError(
    'KK_IMAGE_TOOLS',
    `the image ${image} holds programs that Go builds, and PATH has no go`,
    {hint: 'install it from https://go.dev/dl/, or name other images'},
  )
}
