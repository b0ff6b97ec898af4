import {access} from 'node:fs/promises'

/** Returns true where something is at a path that this process can reach. */
export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
