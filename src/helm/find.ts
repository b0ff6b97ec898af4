import {resolve} from 'node:path'
import {KkError} from '../base/errors.ts'
import {isExecutable} from '../state/files/is-executable.ts'
import {onPath} from '../state/files/on-path.ts'
import type {ProcessEnvironment} from './child-environment.ts'

interface FindOptions {
  /** The value of `--helm`: a path, or a name to search on PATH. */
  readonly flag?: string
  readonly env: ProcessEnvironment
  /** Tried last, e.g. the toolbox's helm for a sandbox. */
  readonly candidates?: readonly string[]
}

const HINT = 'install helm 4 (https://helm.sh/docs/intro/install), or name a binary with --helm or KK_HELM'

/**
 * Returns the helm binary: `--helm`, `KK_HELM`, `helm` on PATH, then the candidates. Throws
 * `KK_HELM_MISSING`.
 */
export function findHelm({flag, env, candidates = []}: FindOptions): string {
  if (flag) return named(flag, '--helm', env)
  if (env.KK_HELM) return named(env.KK_HELM, 'KK_HELM', env)

  const path = onPath('helm', env.PATH) ?? candidates.find(isExecutable)
  if (path) return path
  const places = ['PATH', ...candidates].join(', ')
  throw new KkError('KK_HELM_MISSING', `no helm was found in ${places}`, {hint: HINT})
}

function named(name: string, source: string, env: ProcessEnvironment): string {
  const path = name.includes('/') ? [resolve(name)].find(isExecutable) : onPath(name, env.PATH)
  if (path) return path
  throw new KkError('KK_HELM_MISSING', `${source} names ${name}, which is not an executable file`, {
    hint: HINT,
  })
}
