import {createHash} from 'node:crypto'
import {createReadStream, existsSync} from 'node:fs'
import {join} from 'node:path'
import {isSea} from 'node:sea'
import {KkError} from '../../base/errors.ts'
import {findHelm} from '../../helm/find.ts'
import {readAsset} from '../../state/assets.ts'
import {findTool} from '../../state/tools.ts'
import type {Carried} from '../image.ts'

/** Returns the paths of the programs that go into images. Throws `KK_IMAGE_TOOLS`, or `KK_HELM_MISSING`. */
export function carriedPrograms(
  names: Iterable<Carried>,
  root: string,
  env: NodeJS.ProcessEnv,
): Readonly<Record<string, string>> {
  return Object.fromEntries([...new Set(names)].map((name) => [name, programPath(name, root, env)]))
}

/**
 * Returns the digests that identify these programs: for kk the digest of its sources, because builds are not
 * reproducible; for helm the digest of the binary. Programs that are not on this machine are omitted.
 */
export async function carriedDigests(
  names: Iterable<Carried>,
  root: string,
  env: NodeJS.ProcessEnv,
): Promise<Readonly<Record<string, string>>> {
  const digests: Record<string, string> = {}
  for (const name of new Set(names)) {
    const path = programPathIfAny(name, root, env)
    if (path === undefined) continue
    digests[name] = name === 'kk' ? (await readAsset('sources.sha256')).toString() : await digestFile(path)
  }
  return digests
}

function programPathIfAny(name: Carried, root: string, env: NodeJS.ProcessEnv): string | undefined {
  try {
    return programPath(name, root, env)
  } catch (error) {
    if (error instanceof KkError) return undefined
    throw error
  }
}

/** Returns the SHA-256 of a file. */
export async function digestFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

function programPath(name: Carried, root: string, env: NodeJS.ProcessEnv): string {
  // The toolbox's helm is linked statically; a distribution's may need libraries that the image lacks.
  if (name === 'helm') return findTool('helm4', env) ?? findHelm({env})
  if (isSea()) return process.execPath
  const built = join(root, 'dist/kk')
  if (existsSync(built)) return built
  throw new KkError('KK_IMAGE_TOOLS', `the image kk carries kk itself, and ${built} does not exist`, {
    hint: 'run "npm run build" first',
  })
}
