import {readFile} from 'node:fs/promises'
import {dirname, resolve} from 'node:path'
import {execa} from 'execa'
import {KkError} from '../../base/errors.ts'
import {endOf} from '../../state/processes/exit-code.ts'
import {foreignEnvironment} from '../../state/processes/foreign-environment.ts'
import {withoutCredentials} from '../credentials.ts'

/** The text of a helmfile. */
export interface HelmfileText {
  readonly text: string
  /** True when helmfile has worked its templates out. */
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

/** The output of `helmfile build` where helmfile is on the PATH, else the file itself. Throws `KK_FILE`. */
export async function helmfileText(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<HelmfileText> {
  const embedded = await runBuild(file, ['--embed-values'], env)
  // Values of which some cannot be read, as secrets without the plugin of helm that decrypts them.
  const built = embedded.exitCode ? await runBuild(file, [], env) : embedded
  if (built.exitCode === 0) return {text: built.stdout, isBuilt: true}
  const end = endOf(built)
  if (end !== undefined)
    throw new KkError('KK_FILE', `helmfile build failed for ${file} (${end})`, {
      hint: 'correct the helmfile; kk reads what helmfile build prints',
      log: withoutCredentials(built.stderr).split('\n').slice(-10),
    })
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new KkError('KK_FILE', `the helmfile ${file} cannot be read: ${cause.code}`, {
      cause,
      hint:
        cause.code === 'EISDIR'
          ? `name the helmfile in it; objects of Flux and Argo CD are read with --format flux and argocd`
          : 'name a helmfile: kk import helmfile.yaml',
    })
  })
  if (/\{\{/.test(text))
    throw new KkError('KK_FILE', `${file} has templates, and helmfile is not on the PATH`, {
      hint: 'install helmfile, or give kk what it prints: helmfile build > built.yaml && kk import built.yaml',
    })
  return {text, isBuilt: false}
}
