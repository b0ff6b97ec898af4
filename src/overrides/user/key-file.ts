import {statSync} from 'node:fs'

const READ_BY_OTHERS = 0o044

/** What is wrong where others than the owner may read the file `KK_STORE_KEY_FILE`; undefined where that is not so. */
export function keyFileWarning({
  KK_STORE_KEY_FILE: file,
}: Readonly<Record<string, string | undefined>>): string | undefined {
  const mode = file ? modeOf(file) : undefined
  if (mode === undefined || (mode & READ_BY_OTHERS) === 0) return undefined
  const shown = (mode & 0o777).toString(8)
  return `warning: others can read the key of the store, ${file} (mode ${shown}); keep it to yourself: chmod 600 ${file}`
}

/** Undefined for what is no file, such as a pipe; one that cannot be read is told of when the key is needed. */
function modeOf(file: string): number | undefined {
  try {
    const status = statSync(file)
    return status.isFile() ? status.mode : undefined
  } catch {
    return undefined
  }
}
