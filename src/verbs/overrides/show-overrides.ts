import {setImmediate} from 'node:timers/promises'
import {KkError} from '../../base/errors.ts'
import {mergeValues} from '../../base/merge.ts'
import type {Values} from '../../base/values.ts'
import type {Layer} from '../../overrides/layer.ts'
import {mergedValues} from '../../overrides/layers.ts'
import {blockYaml, systemYaml} from '../../overrides/overrides-yaml.ts'
import {pathsToMask} from '../../overrides/secret-values.ts'
import type {OverrideService, ShownOverrides} from '../../overrides/service.ts'
import {expectActive} from '../../overrides/system/active.ts'
import {exportStore} from '../../overrides/user/document.ts'
import type {AuditEntry, AuditPage, ChartPlace, OverrideStore} from '../../overrides/user/store.ts'
import {etagOf, keptValues, storedValues} from '../../overrides/user/stored-values.ts'
import {redactValues, secretsAmong, type ValuePath} from '../../redact/values.ts'
import {readYaml} from '../../yaml/yaml.ts'
import type {OverrideOptions} from './override-base.ts'

type Options = Pick<OverrideOptions, 'base' | 'store'>

/**
 * Returns a function that shows the overrides of a chart. The last result for its layers is cached, with and
 * without secrets, because writing YAML is most of the work of repeated requests. Layers never change; the
 * etag shows whether the overrides did.
 */
export function showsOverrides({base, store}: Options): OverrideService['show'] {
  const cache = new WeakMap<readonly Layer[], Map<boolean, ShownOverrides>>()
  return async (name, namespace, {showSecrets = false} = {}) => {
    expectActive(await base.active(), name, namespace)
    const [layers, stored, paths] = await Promise.all([
      base.layers(name, namespace),
      store.get(name, namespace),
      base.secretPaths(name),
    ])
    const etag = etagOf(stored)
    const cached = cache.get(layers)?.get(showSecrets)
    if (cached && cached.etag === etag) return cached
    const system = mergedValues(layers.filter((layer) => layer.name === 'system'))
    const user = keptValues(stored)
    const secrets = pathsToMask([user], paths)
    const shown = (values: Values) => (showSecrets ? values : redactValues(values, secrets))
    const fresh: ShownOverrides = {
      name,
      namespace,
      systemOverrides: systemYaml(shown(system)),
      userOverrides: blockYaml(shown(user.values)),
      combinedOverrides: blockYaml(shown(mergeValues(mergedValues(layers), user.values))),
      etag,
    }
    cache.set(layers, (cache.get(layers) ?? new Map()).set(showSecrets, fresh))
    return fresh
  }
}

interface HistoryOptions extends AuditPage {
  /** The chart whose history is returned; defaults to all. */
  readonly of?: ChartPlace | undefined
  readonly showSecrets: boolean
  readonly secretPaths: (chart: string) => Promise<readonly ValuePath[]>
}

/** The number of entries in memory at the same time: each can have two strings of a million characters. */
const READ_BATCH_SIZE = 20
/** With a limit, the size of a page after which further entries are on the next page. */
const PAGE_CHARACTERS = 4_000_000

/** Returns the changes of the store, newest first, with secrets masked unless `showSecrets`. */
export async function overridesHistory(
  store: Pick<OverrideStore, 'audit'>,
  {of, showSecrets, secretPaths, limit = Number.POSITIVE_INFINITY, before}: HistoryOptions,
): Promise<readonly AuditEntry[]> {
  const room = limit === Number.POSITIVE_INFINITY ? limit : PAGE_CHARACTERS
  const shown: AuditEntry[] = []
  let size = 0
  let entries = await store.audit(of, {limit: READ_BATCH_SIZE, before})
  while (entries.length > 0) {
    for (const {sealed, ...entry} of entries) {
      if (shown.length >= limit || size > room) return shown
      const paths = await secretPaths(entry.name)
      const masked = (part: 'before' | 'after') => maskedYaml(entry[part], sealed[part], paths)
      shown.push(showSecrets ? entry : {...entry, before: masked('before'), after: masked('after')})
      size += (entry.before?.length ?? 0) + (entry.after?.length ?? 0)
      // Yield to other requests.
      await setImmediate()
    }
    entries = await store.audit(of, {limit: READ_BATCH_SIZE, before: entries.at(-1)!.id})
  }
  return shown
}

function maskedYaml(yaml: string | null, sealed: boolean, paths: readonly ValuePath[]): string | null {
  if (yaml === null) return null
  const values = (readYaml(yaml, {file: 'the history of the store'}) ?? {}) as Values
  return blockYaml(redactValues(values, pathsToMask([{values, sealed}], paths)))
}

/**
 * Returns the whole store as one YAML document. Masked values could not be imported again, so secrets are
 * encrypted in it, or in plain text with `showSecrets`. Throws `KK_SECRET` if a secret is stored in plain
 * text.
 */
export async function exportOverrides(
  {base, store}: Options,
  {showSecrets = false}: {readonly showSecrets?: boolean} = {},
): Promise<string> {
  if (!showSecrets) await expectEncrypted({base, store})
  return exportStore(store, {secrets: showSecrets})
}

/** Throws `KK_SECRET` for a secret that is stored in plain text, because an earlier kk did not detect it. */
async function expectEncrypted({base, store}: Options): Promise<void> {
  const clear = (await store.list()).filter(({sealed}) => sealed === undefined)
  for (const stored of clear) {
    const {name, namespace} = stored
    const [path] = secretsAmong(storedValues(stored), await base.secretPaths(name))
    if (path === undefined) continue
    throw new KkError(
      'KK_SECRET',
      `${path.join('.')} in the overrides of ${name} in ${namespace} looks secret, and is not encrypted in the store`,
      {hint: 'export it in plain text with --show-secrets (show_secrets=true)'},
    )
  }
}
