import {setImmediate} from 'node:timers/promises'
import {KkError} from '../../base/errors.ts'
import type {Values} from '../../base/values.ts'
import type {Layer} from '../../overrides/layer.ts'
import {mergedValues} from '../../overrides/layers.ts'
import {mergeValues} from '../../overrides/merge.ts'
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
 * Returns what shows the overrides of a chart. What was last made of its layers is kept, with and without secrets: a service
 * is asked for the same again and again, and writing YAML is most of its work. Layers never change, and the etag tells
 * whether the overrides on them did.
 */
export function showsOverrides({base, store}: Options): OverrideService['show'] {
  const made = new WeakMap<readonly Layer[], Map<boolean, ShownOverrides>>()
  return async (name, namespace, {showSecrets = false} = {}) => {
    expectActive(await base.active(), name, namespace)
    const [layers, stored, paths] = await Promise.all([
      base.layers(name, namespace),
      store.get(name, namespace),
      base.secretPaths(name),
    ])
    const etag = etagOf(stored)
    const known = made.get(layers)?.get(showSecrets)
    if (known && known.etag === etag) return known
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
    made.set(layers, (made.get(layers) ?? new Map()).set(showSecrets, fresh))
    return fresh
  }
}

interface HistoryOptions extends AuditPage {
  /** The chart whose history is asked for; all by default. */
  readonly of?: ChartPlace | undefined
  readonly showSecrets: boolean
  readonly secretPaths: (chart: string) => Promise<readonly ValuePath[]>
}

/** So many entries are in memory at once: each can have two texts of a million characters. */
const READ_AT_ONCE = 20
/** In characters; with a limit, entries that come after so much are left for the next page. */
const PAGE = 4_000_000

/** Returns the changes of the store, newest first, with secrets masked unless they are asked for. */
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
  return blockYaml(redactValues(values, pathsToMask([{values, sealed}], paths)))
}

/**
 * Returns all that is stored as one YAML. A masked value could not be imported again, so what is secret is encrypted there,
 * or in clear with `showSecrets`; otherwise it throws `KK_SECRET`.
 */
export async function exportOverrides(
  {base, store}: Options,
  {showSecrets = false}: {readonly showSecrets?: boolean} = {},
): Promise<string> {
  if (!showSecrets) await expectEncrypted({base, store})
  return exportStore(store, {secrets: showSecrets})
}

/** Throws `KK_SECRET` for a secret that stands in clear in the store, because an earlier kk did not take it for one. */
async function expectEncrypted({base, store}: Options): Promise<void> {
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
