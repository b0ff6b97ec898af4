import {readdir} from 'node:fs/promises'
import {join} from 'node:path'
import {KkError} from '../base/errors.ts'
import {exists} from '../state/files/exists.ts'

export interface SplitArguments {
  /** The argument that ends in .yaml or .yml, or is `-`. */
  readonly file: string | undefined
  /** The other arguments, in order. */
  readonly releases: readonly string[]
}

/**
 * Splits the arguments of a command into the environment file and releases. Throws `KK_USAGE` for two files.
 */
export function splitArguments(args: readonly string[]): SplitArguments {
  const files = args.filter(isFile)
  const [file, second] = files
  if (second === undefined) return {file, releases: args.filter((arg) => !isFile(arg))}
  throw new KkError('KK_USAGE', `expected one environment file, got ${files.join(' and ')}`, {
    hint: 'name one of them',
  })
}

/** Returns true for an argument in the form of an environment file, false for a release name. */
export function isFile(arg: string): boolean {
  return arg === '-' || /\.ya?ml$/.test(arg)
}

interface Choice {
  /** The positional argument that names a file. */
  readonly argument?: string | undefined
  /** The value of `-e`. */
  readonly flag?: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

/**
 * Returns the environment file of a command line: the argument or `-e`, else KK_ENVIRONMENT, else ./kk.yaml,
 * else the only file in ./environments/. Throws `KK_USAGE` if argument and flag differ, and
 * `KK_NO_ENVIRONMENT` if there is no candidate or more than one.
 */
export async function chooseEnvironmentFile({argument, flag, env, cwd}: Choice): Promise<string> {
  if (argument !== undefined && flag !== undefined && argument !== flag) {
    const message = `expected one environment file, got ${argument} and -e ${flag}`
    throw new KkError('KK_USAGE', message, {hint: 'name one of them'})
  }
  const named = argument ?? flag ?? (env.KK_ENVIRONMENT || undefined)
  if (named !== undefined) return named
  if (await exists(join(cwd, 'kk.yaml'))) return 'kk.yaml'
  return onlyCandidate((await filesIn(join(cwd, 'environments'))).map((name) => `environments/${name}`))
}

function onlyCandidate(candidates: readonly string[]): string {
  const [file, second] = candidates
  if (file === undefined) {
    const message =
      'no environment file was named, and there is neither ./kk.yaml nor a file in ./environments/'
    throw new KkError('KK_NO_ENVIRONMENT', message, {
      hint: 'name one, as an argument that ends in .yaml or with -e',
    })
  }
  if (second === undefined) return file
  const message = `no environment file was named, and there are several: ${candidates.join(', ')}`
  throw new KkError('KK_NO_ENVIRONMENT', message, {hint: `name one of them, e.g. ${file}`})
}

async function filesIn(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch(() => [])
  return names.filter((name) => /\.ya?ml$/.test(name)).sort()
}
