import type {ApiClient} from '../api/client.ts'
import type {ServedKinds} from '../api/discovery.ts'
import {dryApplyObjects} from './dry-apply.ts'
import type {DryRuns} from './dry-runs.ts'
import {validateObjects} from './validate.ts'

export function openDryRuns(client: ApiClient, discovery: ServedKinds): DryRuns {
  return {
    validate: (options) => validateObjects(client, discovery, options),
    apply: (options) => dryApplyObjects(client, discovery, options),
  }
}
