import {execa} from 'execa'
import {KkError} from '../../src/base/errors.ts'

const OLDEST = [1, 26] as const

/** The version of the Go on PATH, e.g. `go1.26.8`; throws `KK_TOOLBOX` if there is none, or an older one. */
export async function goVersion(env: NodeJS.ProcessEnv): Promise<string> {
  const result = await execa('go', ['env', 'GOVERSION'], {
    env: {...env, GOTOOLCHAIN: 'local'},
    extendEnv: false,
    reject: false,
  })
  if (result.failed)
    throw missing('Go was not found on PATH: it builds the binaries of the throwaway cluster', result)
  const version = result.stdout.trim()
  if (!isRecent(version)) throw missing(`Go ${OLDEST.join('.')} or newer is needed, but PATH has ${version}`)
  return version
}

/** Development versions (`devel go1.27-…`) count as the version that they will become. */
export function isRecent(version: string): boolean {
  const match = /go(\d+)\.(\d+)/.exec(version)
  if (!match) return false
  const [major, minor] = [Number(match[1]), Number(match[2])]
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
}

function missing(message: string, cause?: unknown): KkError {
  return new KkError('KK_TOOLBOX', message, {
    hint: 'install it from https://go.dev/dl/ and run "npm run toolbox" again, or set KK_TOOLBOX to a directory that holds the binaries',
    cause,
  })
}
