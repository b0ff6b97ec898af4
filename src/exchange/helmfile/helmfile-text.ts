import {readFile} from 'node:fs/promises'
import {dirname, resolve} from 'node:path'
import {execa} from 'execa'
import {KkError} from '../../base/errors.ts'
import {describeExit} from '../../state/processes/exit-code.ts'
import {foreignEnvironment} from '../../state/processes/foreign-environment.ts'
import {withoutCredentials} from '../credentials.ts'

/** The content of a helmfile. */
export interface HelmfileText {
  readonly text: string
  /** True if helmfile has rendered its templates. */
  readonly isBuilt: boolean
}

function runBuild(file: string, flags: readonly string[], env: Readonly<Record<string, string | undefined>>) {
  return execa('helmfile', ['--file', resolve(file), 'build', ...flags], {
    cwd: dirname(resolve(file)),
    env: foreignEnvironment(env),
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    timeout: 300_000,
    killDescendants: true,
  })
}

/**
 * Returns the output of `helmfile build` if helmfile is on the PATH, otherwise the file. Throws `KK_FILE`.
 */
export async function helmfileText(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<HelmfileText> {
  const embedded = await runBuild(file, ['--embed-values'], env)
  // Some values may be unreadable, such as secrets without helm's plugin that decrypts them.
  const built = embedded.exitCode ? await runBuild(file, [], env) : embedded
  if (built.exitCode === 0) return {text: built.stdout, isBuilt: true}
  const failure = describeExit(built)
  if (failure !== undefined)
    throw new KkError('KK_FILE', `helmfile build failed for ${file} (${failure})`, {
      hint: 'correct the helmfile; kk reads what helmfile build prints',
      log: withoutCredentials(built.stderr).split('\n').slice(-10),
    })
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new KkError('KK_FILE', `the helmfile ${file} cannot be read: ${cause.code}`, {
      cause,
      hint:
        cause.code === 'EISDIR'
          ? `specify the helmfile in it; --format flux and --format argocd read objects of Flux and Argo CD`
          : 'specify a helmfile: kk import helmfile.yaml',
    })
  })
  if (/\{\{/.test(text))
    throw new KkError('KK_FILE', `${file} has templates, and helmfile is not on the PATH`, {
      hint: 'install helmfile, or import its output: helmfile build > built.yaml && kk import built.yaml',
    })
  return {text, isBuilt: false}
}
