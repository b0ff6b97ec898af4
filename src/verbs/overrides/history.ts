import {readYaml} from '../../helm/yaml.ts'
import {blockYaml} from '../../overrides/format/overrides-yaml.ts'
import {maskSecrets, secretPlaces, type ValuePath} from '../../overrides/secrets/secret-values.ts'
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
  const shown: AuditEntry[] = []
  for (const {sealed, ...entry} of entries) {
    const paths = await secretPaths(entry.name)
    const masked = (part: 'before' | 'after') => maskedYaml(entry[part], sealed[part], paths)
    shown.push(showSecrets ? entry : {...entry, before: masked('before'), after: masked('after')})
  }
  return shown
}

function maskedYaml(yaml: string | null, sealed: boolean, paths: readonly ValuePath[]): string | null {
  if (yaml === null) return null
  const values = (readYaml(yaml, {file: 'the history of the store'}) ?? {}) as Values
  return blockYaml(maskSecrets(values, secretPlaces([{values, sealed}], paths)))
}
