import {existsSync} from 'node:fs'
import {join} from 'node:path'
import {isSea} from 'node:sea'
import {KkError} from '../../errors.ts'
import {findHelm} from '../../helm/find.ts'
import {findTool} from '../../sandbox/tools.ts'
import type {Carried} from '../image.ts'

/** Where the programs are that go into images. Throws `KK_IMAGE_TOOLS`, or `KK_HELM_MISSING`. */
export function carriedPrograms(
  names: Iterable<Carried>,
  root: string,
  env: NodeJS.ProcessEnv,
): Readonly<Record<string, string>> {
  return Object.fromEntries([...new Set(names)].map((name) => [name, programPath(name, root, env)]))
}

function programPath(name: Carried, root: string, env: NodeJS.ProcessEnv): string {
  // The toolbox's is linked statically; one of a distribution may want libraries that the image has not.
  if (name === 'helm') return findTool('helm4', env) ?? findHelm({env})
  if (isSea()) return process.execPath
  const built = join(root, 'dist/kk')
  if (existsSync(built)) return built
  throw new KkError('KK_IMAGE_TOOLS', `the image kk carries kk itself, and ${built} does not exist`, {
    hint: 'run "npm run build" first',
  })
}
