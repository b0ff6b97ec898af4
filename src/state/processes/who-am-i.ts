import {hostname, userInfo} from 'node:os'

/** Returns the user who runs kk as records of changes have it: `user@host`. */
export function whoAmI(): string {
  return `${userInfo().username}@${hostname()}`
}
