import {storeDocumentYaml} from './document.ts'
import type {OverrideStore} from './store.ts'
import {storedValues} from './stored-values.ts'

interface ExportOptions {
  /** Encrypted overrides as they are meant, and generated secrets too; else the former stay encrypted, and the latter out. */
  readonly secrets?: boolean
}

/** All that is stored as one YAML document, without history. Needs the key only with `secrets`, or to list encrypted overrides. */
export async function exportStore(
  store: Pick<OverrideStore, 'list' | 'identity' | 'secrets'>,
  {secrets = false}: ExportOptions = {},
): Promise<string> {
  const overrides = await store.list()
  return storeDocumentYaml({
    identity: await store.identity(),
    overrides: overrides.map((each) => ({
      name: each.name,
      namespace: each.namespace,
      overrides: secrets ? storedValues(each) : (each.sealed ?? storedValues(each)),
    })),
    secrets: secrets ? await store.secrets() : [],
  })
}
