import {access} from 'node:fs/promises'

/** Returns true if the path exists and this process can reach it. */
export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
