import type {ReleaseId} from '../../release.ts'

/** A value that a user sets and nothing reads, or that is deprecated. */
export interface SettingProblem {
  readonly release: ReleaseId
  /** `problem`: an error. `warning`: possibly one. `info`: a deprecation. */
  readonly level: 'problem' | 'warning' | 'info'
  /** The line that an error has above those of its problems. */
  readonly subject: string
  /** The position and the path of the value, and what is wrong. */
  readonly what: string
  /** The entry of `kk.conf.allow` that permits it. */
  readonly allow?: string
}

/** Returns the advice on entries of `kk.conf.allow`. */
export function allowAdvice(entries: readonly string[]): string {
  return `if a plugin reads ${entries.length === 1 ? 'it' : 'them'}: kk.conf.allow: [${entries.join(', ')}]`
}
