import {readYaml} from '../../helm/yaml.ts'
import {changedAt} from '../../overrides/secrets/secret-values.ts'
import type {ImportedContent, RequestedImport} from '../../overrides/service.ts'
import {expectActive} from '../../overrides/system/active.ts'
import {isSealed} from '../../overrides/user/cipher.ts'
import {type Imported, importStore, type PlannedImport} from '../../overrides/user/import.ts'
import {storedValues} from '../../overrides/user/stored-values.ts'
import type {Values} from '../../release.ts'
import type {OverrideWorld} from './override-world.ts'
import {keptByKk, refuseSecret} from './refuse-secrets.ts'

/**
 * Writes an exported document into the store, or only says what would change. Rejects as `importStore`, for charts that
 * are not active where that is known, and with `KK_SECRET` where secrets that kk keeps may not be set.
 */
export async function importOverrides(
  {base, store, who, allowSecrets}: OverrideWorld,
  text: string,
  {file, prune, dryRun}: RequestedImport,
): Promise<ImportedContent> {
  const active = await base.active()
  const imported = await importStore(store, text, {
    who,
    file,
    prune,
    dryRun,
    expectPlace: (name, namespace) => {
      if (active.length > 0 && !base.isAssumed) expectActive(active, name, namespace)
    },
    ...(!allowSecrets && {expectPlan: (planned: PlannedImport) => expectNoSecrets(planned, base)}),
  })
  return contentOf(imported)
}

async function expectNoSecrets(
  {overrides, secrets, before}: PlannedImport,
  {secretPaths}: Pick<OverrideWorld['base'], 'secretPaths'>,
): Promise<void> {
  const [secret] = secrets
  if (secret) throw keptByKk(`the secret ${secret.name} in ${secret.namespace}`)
  for (const {name, namespace, userOverrides} of overrides) {
    const paths = await secretPaths(name)
    if (paths.length === 0) continue
    const place = `the overrides of ${name} in ${namespace}`
    if (userOverrides !== null && isSealed(userOverrides))
      throw keptByKk(`${place} are encrypted in the document and may hold secrets that kk keeps: these`)
    const after = (readYaml(userOverrides ?? '', {file: place}) ?? {}) as Values
    refuseSecret(changedAt(storedValues(before(name, namespace)), after, paths))
  }
}

function contentOf({overrides, secrets, becomes}: Imported): ImportedContent {
  const changed = overrides.map(
    ({name, namespace, userOverrides}) =>
      ({name, namespace, action: userOverrides === null ? 'delete' : 'set'}) as const,
  )
  return {changed, secrets, ...(becomes !== undefined && {becomes})}
}
