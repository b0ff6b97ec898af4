import {type Orphan, orphans} from '../../plan/removal/orphans.ts'
import type {UnknownUser} from '../../plan/uses/uses.ts'
import type {UsesReader} from '../../prepare/uses-reader.ts'

export interface FoundOrphans {
  readonly orphans: readonly Orphan[]
  /** Records that cannot be read: their releases may use any of the orphans. */
  readonly unknown: readonly UnknownUser[]
}

/** Returns the releases that were added as requirements and that no release on the cluster uses now. */
export async function findOrphans(readUses: UsesReader): Promise<FoundOrphans> {
  const uses = await readUses()
  return {orphans: orphans(uses), unknown: uses.unknown}
}
