import {execa} from 'execa'

/** Processors by Node's names. */
export const ARCHITECTURES = ['x64', 'arm64'] as const
export type Architecture = (typeof ARCHITECTURES)[number]

/** Debian's names of processors, and those of images. */
export const OTHER_NAMES = {x64: 'amd64', arm64: 'arm64'} as const

/** What packages say of the kk in them. */
export interface Release {
  readonly version: string
  /** Of every file in them: the time of the commit, whoever builds it when. */
  readonly date: Date
  readonly commit: string | null
  /** The notices of all that is inside. */
  readonly licenses: string
}

/** The time that SOURCE_DATE_EPOCH states, else that of the commit (reproducible-builds.org). */
export async function releaseDate(root: string, env: NodeJS.ProcessEnv): Promise<Date> {
  const stated = env['SOURCE_DATE_EPOCH']
  const seconds = stated ?? (await execa('git', ['log', '-1', '--format=%ct'], {cwd: root})).stdout
  if (!/^\d+$/.test(seconds))
    throw new Error(`SOURCE_DATE_EPOCH: expected seconds since 1970, got ${seconds}`)
  return new Date(Number(seconds) * 1000)
}
