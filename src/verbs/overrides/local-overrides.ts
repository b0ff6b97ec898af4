import {isDeepStrictEqual} from 'node:util'
import {KkError} from '../../base/errors.ts'
import {isEmpty, type Values} from '../../base/values.ts'
import {applyUpdate} from '../../overrides/apply-update.ts'
import {blockYaml} from '../../overrides/overrides-yaml.ts'
import {changedAt, isOpaque, pathsToMask} from '../../overrides/secret-values.ts'
import type {
  Condition,
  ImportedContent,
  OverrideService,
  RequestedImport,
  RequestedUpdate,
} from '../../overrides/service.ts'
import {expectActive} from '../../overrides/system/active.ts'
import {isSealed} from '../../overrides/user/cipher.ts'
import {type Imported, importStore, type PlannedImport} from '../../overrides/user/import.ts'
import type {ChangedPlace, NextOverrides, StoredOverrides} from '../../overrides/user/store.ts'
import {etagOf, keptValues, storedValues} from '../../overrides/user/stored-values.ts'
import {redactValues, secretsAmong, type ValuePath} from '../../redact/values.ts'
import {readYaml} from '../../yaml/yaml.ts'
import {explainOverrides} from './explain-overrides.ts'
import type {OverrideOptions} from './override-base.ts'
import {exportOverrides, overridesHistory, showsOverrides} from './show-overrides.ts'

/**
 * Returns the service of overrides directly on a store, per user; the history records the user as the author.
 */
export function localOverrides(options: OverrideOptions): (who: string) => OverrideService {
  const {base, store} = options
  const show = showsOverrides(options)
  return (who) => ({
    charts: () => base.active(),
    show,
    explain: (name, namespace, how = {}) => explainOverrides(options, {name, namespace, ...how}),
    update: (name, namespace, update) => updateOverrides(options, {name, namespace, who}, update),
    delete: (name, namespace, {ifMatch} = {}) => deleteOverrides(options, {name, namespace, who}, ifMatch),
    history: (of, {showSecrets = false, ...page} = {}) =>
      overridesHistory(store, {of, showSecrets, secretPaths: base.secretPaths, ...page}),
    export: (how) => exportOverrides(options, how),
    import: (document, how) => importOverrides(options, document, {...how, who}),
  })
}

/** The user overrides that result from an update. */
interface Updated {
  readonly values: Values
  readonly secretAt: readonly ValuePath[]
  /** Whether they must be encrypted. */
  readonly sealed: boolean
}

/**
 * Changes the stored overrides, or with `dryRun` only returns the result. Rejects as `OverrideService.update`
 * and `base.check`.
 */
async function updateOverrides(
  {base, store, allowSecrets}: OverrideOptions,
  of: ChangedPlace,
  {ifMatch, dryRun = false, showSecrets = false, ...update}: RequestedUpdate,
): ReturnType<OverrideService['update']> {
  const {name, namespace} = of
  expectActive(await base.active(), name, namespace)
  const paths = await base.secretPaths(name)
  const updated = (current: StoredOverrides | undefined): Updated => {
    const before = keptValues(current)
    const values = applyUpdate(before.values, update)
    if (!allowSecrets) refuseSecret(changedAt(before.values, values, paths))
    const secretAt = secretsAmong(values, paths)
    // Values that were secret according to a plugin that is missing now must not be written in plain text.
    const stays = update.flag === 'reuse' && isOpaque(before, paths)
    return {values, secretAt, sealed: stays || secretAt.length > 0}
  }
  const answer = (result: Updated, stored: StoredOverrides | undefined) => ({
    name,
    namespace,
    userOverrides: blockYaml(
      showSecrets || !result.sealed
        ? result.values
        : redactValues(result.values, pathsToMask([result], paths)),
    ),
    etag: etagOf(stored),
  })
  const current = await store.get(name, namespace)
  const preview = updated(current)
  const isNew = !isEmpty(preview.values) && !isDeepStrictEqual(preview.values, keptValues(current).values)
  if (isNew) await base.check?.(name, namespace, preview.values)
  if (dryRun) return answer(preview, current)
  // The values finally written: another client may have changed the overrides in the meantime.
  let result = preview
  const written = await change(store, {of, ifMatch}, (present) => {
    result = updated(present)
    return {userOverrides: blockYaml(result.values) || null, secret: result.sealed, secretAt: result.secretAt}
  })
  return answer(result, written)
}

/** Deletes the user overrides of a chart, even if the chart is no longer active. */
async function deleteOverrides(
  {base, store, allowSecrets}: OverrideOptions,
  of: ChangedPlace,
  ifMatch: Condition | undefined,
): Promise<void> {
  const {name, namespace} = of
  const stored = await store.get(name, namespace)
  if (!stored) expectActive(await base.active(), name, namespace)
  if (!stored?.userOverrides && (!ifMatch || ifMatch.includes(''))) return
  const paths = await base.secretPaths(name)
  await change(store, {of, ifMatch}, (present) => {
    // Removing a secret is a change of it.
    if (!allowSecrets) refuseSecret(changedAt(keptValues(present).values, {}, paths))
    return {userOverrides: null, secret: false}
  })
}

/** Writes what `next` returns for the stored overrides; with `ifMatch` only if their etag matches. */
async function change(
  store: OverrideOptions['store'],
  {of, ifMatch}: {readonly of: ChangedPlace; readonly ifMatch: Condition | undefined},
  next: (current: StoredOverrides | undefined) => NextOverrides,
): Promise<StoredOverrides> {
  if (ifMatch === undefined) return store.update(of, next)
  const {name, namespace} = of
  const current = await store.get(name, namespace)
  const etag = etagOf(current)
  if (ifMatch.includes(etag ?? '') || (ifMatch.includes('*') && etag !== undefined)) {
    return store.put({...of, expected: etag, ...next(current)})
  }
  throw new KkError(
    'KK_STORE_CONFLICT',
    `the overrides of ${name} in ${namespace} are no longer those that the change was made from`,
    {hint: 'read them again, then repeat the change'},
  )
}

/**
 * Writes an exported document into the store, or only returns what would change. Rejects as `importStore` and
 * `base.check`, for charts that are known not to be active, and with `KK_SECRET` if kk's secrets may not be
 * set.
 */
async function importOverrides(
  {base, store, allowSecrets}: OverrideOptions,
  text: string,
  {who, file, prune, dryRun}: RequestedImport & Pick<ChangedPlace, 'who'>,
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
    expectPlan: async (planned) => {
      if (!allowSecrets) await expectNoSecrets(planned, base)
      await expectSchemas(planned, base)
    },
  })
  return summarize(imported)
}

/** Throws `KK_SECRET` if an import would change a secret that kk keeps. */
async function expectNoSecrets(
  {overrides, secrets, before}: PlannedImport,
  {secretPaths}: Pick<OverrideOptions['base'], 'secretPaths'>,
): Promise<void> {
  const [secret] = secrets
  if (secret) throw keptByKk(`the secret ${secret.name} in ${secret.namespace}`)
  for (const {name, namespace, userOverrides} of overrides) {
    const paths = await secretPaths(name)
    if (paths.length === 0) continue
    const what = `the overrides of ${name} in ${namespace}`
    if (userOverrides !== null && isSealed(userOverrides))
      throw keptByKk(`${what} are encrypted in the document and may hold secrets that kk keeps: these`)
    const after = (readYaml(userOverrides ?? '', {file: what}) ?? {}) as Values
    refuseSecret(changedAt(storedValues(before(name, namespace)), after, paths))
  }
}

/** Throws as `check` for the imported values. Encrypted values are not checked here, but by the next plan. */
async function expectSchemas(
  {overrides}: PlannedImport,
  {check}: Pick<OverrideOptions['base'], 'check'>,
): Promise<void> {
  if (!check) return
  for (const {name, namespace, userOverrides} of overrides) {
    if (userOverrides === null || isSealed(userOverrides)) continue
    const values = readYaml(userOverrides, {file: `the overrides of ${name} in ${namespace}`}) ?? {}
    await check(name, namespace, values as Values)
  }
}

function summarize({overrides, secrets, becomes}: Imported): ImportedContent {
  const changed = overrides.map(
    ({name, namespace, userOverrides}) =>
      ({name, namespace, action: userOverrides === null ? 'delete' : 'set'}) as const,
  )
  return {changed, secrets, ...(becomes !== undefined && {becomes})}
}

/** Throws `KK_SECRET` for a path that plugins declare as secret. */
function refuseSecret(path: ValuePath | undefined): void {
  if (path === undefined) return
  throw keptByKk(`${path.join('.')} is a secret that kk keeps: an override of it`)
}

/** Returns `KK_SECRET`: `what` may contain secrets that must not be set. */
function keptByKk(what: string): KkError {
  return new KkError('KK_SECRET', `${what} can neither be set nor removed here`, {
    hint: 'change the secret with kk secrets rotate, or start the server with --allow-secret-overrides',
  })
}
