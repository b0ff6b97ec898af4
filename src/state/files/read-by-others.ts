import {statSync} from 'node:fs'

const READ_BY_OTHERS = 0o044

/** A warning where others than the owner may read a file that holds something secret; undefined where that is not so. */
export function readByOthersWarning(file: string, what: string): string | undefined {
  const mode = modeOf(file)
  if (mode === undefined || (mode & READ_BY_OTHERS) === 0) return undefined
  const shown = (mode & 0o777).toString(8)
  return `warning: others can read ${what}, ${file} (mode ${shown}); keep it to yourself: chmod 600 ${file}`
}

/** Undefined for what is no file, such as a pipe; one that cannot be read is told of when it is needed. */
function modeOf(file: string): number | undefined {
  try {
    const status = statSync(file)
    return status.isFile() ? status.mode : undefined
  } catch {
    return undefined
  }
}
