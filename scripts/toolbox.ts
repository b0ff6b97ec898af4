import {mkdir, readdir, readlink, rename, rm, symlink} from 'node:fs/promises'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {execa} from 'execa'
import {asKkError, KkError} from '../src/base/errors.ts'
import {exists} from '../src/state/files/exists.ts'
import {withLock} from '../src/state/lock.ts'
import {findTool, pointTo, toolboxDirectory, UNFINISHED} from '../src/state/tools.ts'
import {archiveOf, pack, unpack} from './toolbox/archive.ts'
import {goVersion} from './toolbox/go.ts'
import {
  CLUSTER_KIT,
  EXCHANGE_KIT,
  FORMER_KIT,
  IDENTITY_KIT,
  type Kit,
  LINKS,
  NODE_KIT,
  recipeKey,
  type Step,
} from './toolbox/recipe.ts'

type Progress = (line: string) => void

const MODULES = fileURLToPath(new URL('../toolbox', import.meta.url))
const HEARTBEAT_MILLISECONDS = 15_000

interface Built {
  readonly kit: Kit
  readonly home: string
  readonly key: string
}

/**
 * Builds what is missing, once per machine, and returns the directory of the binaries.
 * Silent if there is nothing to do. Throws `KK_TOOLBOX` if Go is missing, too old, or fails.
 */
export async function buildToolbox(
  env: NodeJS.ProcessEnv,
  onProgress: Progress,
  kit = CLUSTER_KIT,
): Promise<string> {
  const given = env.KK_TOOLBOX
  if (given && kit.tools.every((name) => findTool(name, {...env, PATH: ''})?.startsWith(given))) return given

  const home = toolboxDirectory(env)
  const key = await recipeKey(kit, MODULES, await goVersion(env))
  const toolbox = join(home, key)
  const built = {kit, home, key}
  if (!(await isCurrent(built)))
    await withLock(
      join(home, 'lock'),
      async () => {
        if (!(await exists(toolbox))) await build(built, env, onProgress)
        await pointTo(home, kit.link, key)
      },
      {onWait: ({pid}) => onProgress(`toolbox: process ${pid} is building it; waiting`)},
    )
  return join(toolbox, 'bin')
}

/** Returns true if the cluster's toolbox is in KK_TOOLBOX_ARCHIVES, so that nothing is compiled. */
export async function isArchived(env: NodeJS.ProcessEnv): Promise<boolean> {
  if (!env.KK_TOOLBOX_ARCHIVES) return false
  const go = await goVersion(env).catch(() => undefined)
  return go !== undefined && exists(archiveOf(env, await recipeKey(CLUSTER_KIT, MODULES, go))!)
}

/**
 * Builds in a temporary directory, or unpacks a CI's archive, and renames, so that an existing toolbox is
 * complete.
 */
async function build({kit, home, key}: Built, env: NodeJS.ProcessEnv, onProgress: Progress): Promise<void> {
  await removeUnfinished(home)
  const unfinished = join(home, `${UNFINISHED}${key}`)
  const archive = archiveOf(env, key)
  if (archive && (await isUnpacked(archive, unfinished, onProgress))) {
    await rename(unfinished, join(home, key))
    return
  }
  const bin = join(unfinished, 'bin')
  await mkdir(bin, {recursive: true})
  onProgress(`toolbox: building into ${join(home, key)}; once per machine, ${kit.takes} from nothing`)
  for (const step of kit.steps(MODULES)) await buildStep(step, bin, env, onProgress)
  await rename(unfinished, join(home, key))
  onProgress(`toolbox: done`)
  if (!archive) return
  await pack(join(home, key), archive)
  onProgress(`toolbox: kept as ${archive}`)
}

/** A damaged archive is reported, and built again. */
async function isUnpacked(archive: string, directory: string, onProgress: Progress): Promise<boolean> {
  await mkdir(directory)
  try {
    const found = await unpack(archive, directory)
    if (found) onProgress(`toolbox: unpacked ${archive}`)
    return found
  } catch (error) {
    onProgress(`toolbox: ${archive} cannot be unpacked, and is made anew: ${asKkError(error).message}`)
    await rm(directory, {recursive: true})
    return false
  }
}

async function buildStep(
  step: Step,
  bin: string,
  env: NodeJS.ProcessEnv,
  onProgress: Progress,
): Promise<void> {
  const start = Date.now()
  const elapsed = () => `${Math.round((Date.now() - start) / 1000)} s`
  const scratch = join(bin, `.${step.binary}`)
  const heartbeat = setInterval(
    () => onProgress(`toolbox: ${step.title} … ${elapsed()}`),
    HEARTBEAT_MILLISECONDS,
  )
  try {
    await runGo(step, scratch, env)
  } finally {
    clearInterval(heartbeat)
  }
  await rename(join(scratch, step.artifact), join(bin, step.binary))
  await rm(scratch, {recursive: true})
  for (const link of step.links ?? LINKS[step.binary] ?? []) await symlink(step.binary, join(bin, link))
  onProgress(`toolbox: ${step.title} in ${elapsed()}`)
}

async function runGo(step: Step, directory: string, env: NodeJS.ProcessEnv): Promise<void> {
  await mkdir(directory, {recursive: true})
  const result = await execa('go', step.argv(directory), {
    cwd: step.module ?? directory,
    env: {...env, CGO_ENABLED: '0', GOBIN: directory, GOTOOLCHAIN: 'local', GOWORK: 'off'},
    extendEnv: false,
    killDescendants: true,
    reject: false,
  })
  if (!result.failed) return
  throw new KkError('KK_TOOLBOX', `go could not build ${step.title}`, {
    hint: 'Go needs its module proxy (go env GOPROXY) and about 10 GB for its build cache (go env GOCACHE); then run "npm run toolbox" again',
    log: result.stderr.split('\n').slice(-15),
    cause: result,
  })
}

/** Under the lock no other process builds: unfinished files are of a killed build. */
async function removeUnfinished(home: string): Promise<void> {
  const names = await readdir(home)
  const left = names.filter((name) => name.startsWith(UNFINISHED))
  await Promise.all(left.map((name) => rm(join(home, name), {recursive: true})))
}

async function isCurrent({kit, home, key}: Built): Promise<boolean> {
  const target = await readlink(join(home, kit.link)).catch(() => undefined)
  return target === key && (await exists(join(home, key)))
}

/**
 * `npm run toolbox` builds what a sandbox needs, `npm run toolbox -- aio` also what the all-in-one node
 * needs, `npm run toolbox -- exchange` also what tests of exports need, `npm run toolbox -- identity` what
 * tests of logins need, and `npm run toolbox -- former` what the test of an upgrade of Kubernetes needs. With
 * `--key` it builds nothing, and prints the keys: the names of the directories, below the cache, that a CI
 * can keep.
 */
async function main(): Promise<void> {
  const words = process.argv.slice(2)
  const kits = [
    CLUSTER_KIT,
    ...(words.includes('aio') ? [NODE_KIT] : []),
    ...(words.includes('exchange') ? [EXCHANGE_KIT] : []),
    ...(words.includes('identity') ? [IDENTITY_KIT] : []),
    ...(words.includes('former') ? [FORMER_KIT] : []),
  ]
  const outcome = words.includes('--key')
    ? async (kit: Kit) => recipeKey(kit, MODULES, await goVersion(process.env))
    : (kit: Kit) => buildToolbox(process.env, (line) => console.error(line), kit)
  try {
    for (const kit of kits) console.log(await outcome(kit))
  } catch (error) {
    const {code, message, hint, log, exit} = asKkError(error)
    console.error([...log, `${code}: ${message}`, hint && `hint: ${hint}`].filter(Boolean).join('\n'))
    process.exitCode = exit
  }
}

if (import.meta.main) await main()
