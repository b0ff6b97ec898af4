import type {ApiClient} from '../api/client.ts'
import type {Guard} from './guard.ts'
import {guardedObjects, listClaimReleases} from './objects.ts'
import {isSupported, readParameters, readState} from './read.ts'
import {installGuard, removeGuard, writeApprovals} from './write.ts'

/** Returns the guard of the client's cluster. */
export function openGuard(client: ApiClient): Guard {
  return {
    supported: () => isSupported(client),
    read: () => readState(client),
    parameters: () => readParameters(client),
    claims: (releases) => listClaimReleases(client, releases),
    objects: (release, options) => guardedObjects(client, release, options),
    install: (parameters, resourceVersion) => installGuard(client, parameters, resourceVersion),
    approve: (approvals, parameters, resourceVersion) =>
      writeApprovals(client, approvals, parameters, resourceVersion),
    remove: () => removeGuard(client),
  }
}
