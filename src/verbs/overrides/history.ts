import {setImmediate} from 'node:timers/promises'
import {redactValues, type ValuePath} from '../../helm/redact/values.ts'
import {readYaml} from '../../helm/yaml.ts'
import {blockYaml} from '../../overrides/overrides-yaml.ts'
import {secretPlaces} from '../../overrides/secrets/secret-values.ts'
import type {AuditEntry, AuditPage, OverrideStore} from '../../overrides/user/store.ts'
import type {Values} from '../../release.ts'

interface HistoryOptions extends AuditPage {
  /** Of one chart in one namespace; of all by default. */
  readonly of?: {readonly name: string; readonly namespace: string} | undefined
  readonly showSecrets: boolean
  readonly secretPaths: (chart: string) => Promise<readonly ValuePath[]>
}

/** So many entries are in memory at once: each can have two texts of a million characters. */
const READ_AT_ONCE = 20
/** In characters; with a limit, entries that come after so much are left for the next page. */
const PAGE = 4_000_000

/** What was changed in the store, newest first, with secrets masked unless they are asked for. */
export async function overridesHistory(
  store: Pick<OverrideStore, 'audit'>,
  {of, showSecrets, secretPaths, limit = Number.POSITIVE_INFINITY, before}: HistoryOptions,
): Promise<readonly AuditEntry[]> {
  const room = limit === Number.POSITIVE_INFINITY ? limit : PAGE
  const shown: AuditEntry[] = []
  let size = 0
  let entries = await store.audit(of, {limit: READ_AT_ONCE, before})
  while (entries.length > 0) {
    for (const {sealed, ...entry} of entries) {
      if (shown.length >= limit || size > room) return shown
      const paths = await secretPaths(entry.name)
      const masked = (part: 'before' | 'after') => maskedYaml(entry[part], sealed[part], paths)
      shown.push(showSecrets ? entry : {...entry, before: masked('before'), after: masked('after')})
      size += (entry.before?.length ?? 0) + (entry.after?.length ?? 0)
      // Others are to be served meanwhile.
      await setImmediate()
    }
    entries = await store.audit(of, {limit: READ_AT_ONCE, before: entries.at(-1)!.id})
  }
  return shown
}

function maskedYaml(yaml: string | null, sealed: boolean, paths: readonly ValuePath[]): string | null {
  if (yaml === null) return null
  const values = (readYaml(yaml, {file: 'the history of the store'}) ?? {}) as Values
  return blockYaml(redactValues(values, secretPlaces([{values, sealed}], paths)))
}
