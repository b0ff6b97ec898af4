import {readYaml} from '../../helm/yaml.ts'
import {blockYaml} from '../../overrides/format/overrides-yaml.ts'
import {maskSecrets, type ValuePath} from '../../overrides/secrets.ts'
import type {AuditEntry, OverrideStore} from '../../overrides/user/store.ts'
import type {Values} from '../../release.ts'

interface HistoryOptions {
  /** Of one chart in one namespace; of all by default. */
  readonly of?: {readonly name: string; readonly namespace: string} | undefined
  readonly showSecrets: boolean
  readonly secretPaths: (chart: string) => Promise<readonly ValuePath[]>
}

/** What was changed in the store, newest first, with secrets masked unless they are asked for. */
export async function overridesHistory(
  store: Pick<OverrideStore, 'audit'>,
  {of, showSecrets, secretPaths}: HistoryOptions,
): Promise<readonly AuditEntry[]> {
  const entries = await store.audit(of)
  if (showSecrets) return entries
  const masked: AuditEntry[] = []
  for (const entry of entries) {
    const paths = await secretPaths(entry.name)
    const {before, after} = entry
    masked.push({...entry, before: maskedYaml(before, paths), after: maskedYaml(after, paths)})
  }
  return masked
}

function maskedYaml(yaml: string | null, paths: readonly ValuePath[]): string | null {
  if (yaml === null) return null
  return blockYaml(maskSecrets((readYaml(yaml, {file: 'the history of the store'}) ?? {}) as Values, paths))
}
