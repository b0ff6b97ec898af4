import {execa} from 'execa'
import {inject} from 'vitest'
import {killedAt} from '../../support/killed-at.ts'

interface KkOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly input?: string
  /** Kill it when so many transitions of its run are in its journal. */
  readonly killAt?: number | undefined
}

/**
 * For helm and kubectl: programs that end at once need not tidy up their memory, which takes a sixth of their
 * time.
 */
export const SHORT_LIVED = {GOGC: '800'}

/** For control planes: those of tests end after minutes, and tidy up their memory less often, too. */
export const CONTROL_PLANE = {GOGC: '400'}

/** The environment of a test: the control plane of the run, the real tools, and nothing of the user's. */
export function kkEnvironment(): Record<string, string> {
  const {toolbox, kubeconfig, state, home} = inject('run')
  return {
    PATH: `${toolbox}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    KUBECONFIG: kubeconfig,
    KK_TOOLBOX: toolbox,
    XDG_STATE_HOME: state,
    ...SHORT_LIVED,
  }
}

/** Starts the built binary; resolves, whatever its exit code, with `exitCode`, `stdout` and `stderr`. */
export function kk(args: readonly string[], {env, cwd, input = '', killAt}: KkOptions = {}) {
  const [program, words] = killedAt(killAt, [inject('run').kk, ...args])
  return execa(program, words, {
    env: {...kkEnvironment(), ...env},
    extendEnv: false,
    reject: false,
    input,
    ...(cwd && {cwd}),
  })
}
