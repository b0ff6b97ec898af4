import {execa} from 'execa'

/** Architectures by Node's names. */
export const ARCHITECTURES = ['x64', 'arm64'] as const
export type Architecture = (typeof ARCHITECTURES)[number]

/** Debian's names of architectures, and those of images. */
export const OTHER_NAMES = {x64: 'amd64', arm64: 'arm64'} as const

/** The metadata of packages. */
export interface Release {
  readonly version: string
  /** The time of every file in them: that of the commit, independent of the build. */
  readonly date: Date
  readonly commit: string | null
  /** The notices of everything inside. */
  readonly licenses: string
}

/** The time of SOURCE_DATE_EPOCH, else that of the commit (reproducible-builds.org). */
export async function releaseDate(root: string, env: NodeJS.ProcessEnv): Promise<Date> {
  const stated = env['SOURCE_DATE_EPOCH']
  const seconds = stated ?? (await execa('git', ['log', '-1', '--format=%ct'], {cwd: root})).stdout
  if (!/^\d+$/.test(seconds))
    throw new Error(`SOURCE_DATE_EPOCH: expected seconds since 1970, got ${seconds}`)
  return new Date(Number(seconds) * 1000)
}
