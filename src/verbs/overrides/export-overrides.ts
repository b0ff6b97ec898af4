import {KkError} from '../../errors.ts'
import {secretsAmong} from '../../overrides/secrets/secret-values.ts'
import {exportStore} from '../../overrides/user/export.ts'
import {storedValues} from '../../overrides/user/stored-values.ts'
import type {OverrideWorld} from './override-world.ts'

/**
 * All that is stored as one YAML. A masked value could not be imported again, so what is secret is encrypted there, or in
 * clear with `showSecrets`; otherwise it throws `KK_SECRET`.
 */
export async function exportOverrides(
  {base, store}: OverrideWorld,
  {showSecrets = false}: {readonly showSecrets?: boolean} = {},
): Promise<string> {
  if (!showSecrets) await expectEncrypted({base, store})
  return exportStore(store, {secrets: showSecrets})
}

/** What an earlier kk did not take for a secret stands in clear in the store. */
async function expectEncrypted({base, store}: Pick<OverrideWorld, 'base' | 'store'>): Promise<void> {
  const clear = (await store.list()).filter(({sealed}) => sealed === undefined)
  for (const stored of clear) {
    const {name, namespace} = stored
    const [path] = secretsAmong(storedValues(stored), await base.secretPaths(name))
    if (path === undefined) continue
    throw new KkError(
      'KK_SECRET',
      `${path.join('.')} in the overrides of ${name} in ${namespace} looks secret, and is not encrypted in the store`,
      {hint: 'export it in clear with --show-secrets (show_secrets=true)'},
    )
  }
}
