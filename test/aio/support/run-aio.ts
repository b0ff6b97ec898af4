import {execa} from 'execa'
import type {AioRun} from './setup.ts'

/** The environment of a test: the real tools, the system's programs, and nothing of the user's. */
export function aioEnvironment({toolbox, home, state}: AioRun): Record<string, string> {
  return {
    PATH: `${toolbox}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
    HOME: home,
    XDG_STATE_HOME: state,
  }
}

/** Starts the built binary; resolves, whatever its exit code, with `exitCode`, `stdout` and `stderr`. */
export function runAio(run: AioRun, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return execa(run.kk, args, {
    env: {...aioEnvironment(run), ...env},
    extendEnv: false,
    reject: false,
    input: '',
  })
}
