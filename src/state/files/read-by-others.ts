import {statSync} from 'node:fs'

const READ_BY_OTHERS = 0o044

/**
 * Returns a warning if users other than the owner may read a file that contains a secret; otherwise
 * undefined.
 */
export function readByOthersWarning(file: string, what: string): string | undefined {
  const mode = fileMode(file)
  if (mode === undefined || (mode & READ_BY_OTHERS) === 0) return undefined
  const shown = (mode & 0o777).toString(8)
  return `warning: others can read ${what}, ${file} (mode ${shown}); keep it to yourself: chmod 600 ${file}`
}

/**
 * Returns the mode of a file; undefined for pipes and the like, and for unreadable files: that error is
 * reported when the file is used.
 */
function fileMode(file: string): number | undefined {
  try {
    const status = statSync(file)
    return status.isFile() ? status.mode : undefined
  } catch {
    return undefined
  }
}
