import {cp, readdir} from 'node:fs/promises'
import {basename, join} from 'node:path'
import {KkError} from '../../errors.ts'
import {onPath} from '../../state/files/on-path.ts'
import type {GoProgram, Image} from '../image.ts'
import type {Package} from '../inventory/packages.ts'
import {type ProgramRun, runProgram} from './buildah.ts'

/** A toolchain is not fetched, nothing is linked to libraries of this machine, and no workspace around it counts. */
const ENVIRONMENT = {CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOWORK: 'off'}

/** An image, as far as its program is concerned. */
type Holder = Pick<Image, 'name' | 'folder'> & {readonly go: GoProgram}

/**
 * Builds the program of an image in a copy of its module's sources, below `work`, and leaves it in `into`. Returns the
 * modules in it. Throws `KK_IMAGE`; `KK_IMAGE_TOOLS` without a Go.
 */
export async function goProgram(
  {name, folder, go}: Holder,
  {work, into, ...run}: ProgramRun & {readonly work: string; readonly into: string},
): Promise<readonly Package[]> {
  expectGo(name)
  const sources = join(work, 'sources')
  await cp(await fetched(go, run), sources, {recursive: true})
  const patches = (await readdir(folder)).filter((file) => file.endsWith('.patch')).sort()
  for (const patch of patches) await runProgram('git', ['apply', join(folder, patch)], {...run, cwd: sources})
  const program = join(into, basename(go.package))
  const flags = ['-trimpath', '-buildvcs=false', '-ldflags', '-s -w']
  await runProgram('go', ['build', ...flags, '-o', program, go.package], {
    ...run,
    cwd: sources,
    env: ENVIRONMENT,
  })
  return modulesOf(go, await runProgram('go', ['version', '-m', '-json', program], {env: ENVIRONMENT}))
}

/** Returns where Go has the sources of the module; one with another hash is refused. */
async function fetched({module, sum}: GoProgram, run: ProgramRun): Promise<string> {
  const said = await runProgram('go', ['mod', 'download', '-json', module], {...run, env: ENVIRONMENT})
  const found = JSON.parse(said) as {readonly Dir: string; readonly Sum: string}
  if (found.Sum === sum) return found.Dir
  throw new KkError('KK_IMAGE', `the module ${module} is not what it was: ${found.Sum} instead of ${sum}`, {
    hint: 'ask whoever runs the module proxy (go env GOPROXY)',
  })
}

/** https://pkg.go.dev/runtime/debug#BuildInfo */
interface BuildInfo {
  readonly Deps?: readonly {readonly Path: string; readonly Version: string; readonly Replace?: Module}[]
}

interface Module {
  readonly Path: string
  readonly Version?: string
}

/** Of a module that another one takes the place of, that one; what a patch brings has no version, and is not among them. */
function modulesOf({module}: GoProgram, said: string): readonly Package[] {
  const [name = '', version = ''] = module.split('@')
  const {Deps = []} = JSON.parse(said) as BuildInfo
  const others = Deps.map(({Replace, ...own}): Module => Replace ?? own)
  return [{Path: name, Version: version}, ...others].flatMap(({Path, Version}) =>
    Version ? [{type: 'golang' as const, name: Path, version: Version}] : [],
  )
}

function expectGo(image: string): void {
  if (onPath('go', process.env['PATH']) !== undefined) return
  throw new KkError(
    'KK_IMAGE_TOOLS',
    `the image ${image} holds a program that Go builds, and PATH has no go`,
    {
      hint: 'install it from https://go.dev/dl/, or name other images',
    },
  )
}
