import {join} from 'node:path'
import {execa} from 'execa'
import {inject} from 'vitest'
import {SHORT_LIVED} from './kk.ts'

interface PlainHelmOptions {
  readonly version?: 'helm3' | 'helm4'
  readonly input?: string
}

/** Starts helm itself, without kk, on the cluster of the run; resolves whatever its exit code. */
export function plainHelm(args: readonly string[], {version = 'helm4', input = ''}: PlainHelmOptions = {}) {
  const {toolbox, kubeconfig, home} = inject('run')
  return execa(join(toolbox, version), args, {
    env: {KUBECONFIG: kubeconfig, HOME: home, ...SHORT_LIVED},
    extendEnv: false,
    reject: false,
    input,
  })
}
