import {hostname, userInfo} from 'node:os'

/** Returns the user who runs kk, in the format of change records: `user@host`. */
export function whoAmI(): string {
  return `${userInfo().username}@${hostname()}`
}
