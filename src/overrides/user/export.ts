import {readYaml} from '../../helm/yaml.ts'
import type {Values} from '../../release.ts'
import {storeDocumentYaml} from './document.ts'
import type {OverrideStore, StoredOverrides} from './store.ts'

interface ExportOptions {
  /** Encrypted overrides as they are meant, and generated secrets too; else the former stay encrypted, and the latter out. */
  readonly secrets?: boolean
}

/** All that is stored as one YAML document, without history. Needs the key only with `secrets`, or to list encrypted overrides. */
export async function exportStore(
  store: OverrideStore,
  {secrets = false}: ExportOptions = {},
): Promise<string> {
  const overrides = await store.list()
  return storeDocumentYaml({
    identity: await store.identity(),
    overrides: overrides.map((each) => ({
      name: each.name,
      namespace: each.namespace,
      overrides: secrets ? valuesOf(each) : (each.sealed ?? valuesOf(each)),
    })),
    secrets: secrets ? await store.secrets() : [],
  })
}

function valuesOf({userOverrides, name, namespace}: StoredOverrides): Values {
  return (readYaml(userOverrides ?? '', {file: `overrides of ${name} in ${namespace}`}) ?? {}) as Values
}
