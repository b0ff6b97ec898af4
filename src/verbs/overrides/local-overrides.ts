import {isDeepStrictEqual} from 'node:util'
import {KkError} from '../../errors.ts'
import {redactValues, secretsAmong, type ValuePath} from '../../helm/redact/values.ts'
import {readYaml} from '../../helm/yaml.ts'
import {applyUpdate} from '../../overrides/apply-update.ts'
import type {Layer} from '../../overrides/layer.ts'
import {mergedValues} from '../../overrides/layers.ts'
import {mergeValues} from '../../overrides/merge.ts'
import {blockYaml, systemYaml} from '../../overrides/overrides-yaml.ts'
import {changedAt, isOpaque, secretPlaces} from '../../overrides/secrets/secret-values.ts'
import type {
  Condition,
  ImportedContent,
  OverrideService,
  RequestedImport,
  RequestedUpdate,
  ShownOverrides,
} from '../../overrides/service.ts'
import {expectActive} from '../../overrides/system/active.ts'
import {isSealed} from '../../overrides/user/cipher.ts'
import {exportStore} from '../../overrides/user/export.ts'
import {type Imported, importStore, type PlannedImport} from '../../overrides/user/import.ts'
import type {NextOverrides, StoredOverrides} from '../../overrides/user/store.ts'
import {etagOf, keptValues, storedValues} from '../../overrides/user/stored-values.ts'
import type {Values} from '../../release.ts'
import {explainOverrides} from './explain-overrides.ts'
import {overridesHistory} from './history.ts'
import type {OverrideWorld} from './override-world.ts'

/** Overrides straight from the store; what lies below the deployer's comes from `base`. */
export function localOverrides(options: OverrideWorld): OverrideService {
  return {
    charts: () => options.base.active(),
    show: (name, namespace, how = {}) => show(options, {name, namespace, ...how}),
    explain: (name, namespace, how = {}) => explainOverrides(options, {name, namespace, ...how}),
    update: (name, namespace, change) => updateStored(options, {name, namespace}, change),
    delete: (name, namespace, how = {}) => deleteOverrides(options, {name, namespace, ...how}),
    history: (of, {showSecrets = false, ...page} = {}) =>
      overridesHistory(options.store, {of, showSecrets, secretPaths: options.base.secretPaths, ...page}),
    export: (how) => exportOverrides(options, how),
    import: (document, how) => importOverrides(options, document, how),
  }
}

interface Shown {
  readonly name: string
  readonly namespace: string
  readonly showSecrets?: boolean
}

async function show(
  {base, store}: OverrideWorld,
  {name, namespace, showSecrets = false}: Shown,
): ReturnType<OverrideService['show']> {
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
  const places = secretPlaces([user], paths)
  const shown = (values: Values) => (showSecrets ? values : redactValues(values, places))
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

/**
 * What was last made of these layers, with and without secrets: a service is asked for the same again and again, and
 * writing YAML is most of its work. Layers never change, and the etag tells whether the overrides on them did.
 */
const made = new WeakMap<readonly Layer[], Map<boolean, ShownOverrides>>()

/**
 * All that is stored as one YAML. A masked value could not be imported again, so what is secret is encrypted there, or in
 * clear with `showSecrets`; otherwise it throws `KK_SECRET`.
 */
async function exportOverrides(
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

/**
 * Writes an exported document into the store, or only says what would change. Rejects as `importStore` and `base.check`, for
 * charts that are not active where that is known, and with `KK_SECRET` where secrets that kk keeps may not be set.
 */
async function importOverrides(
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
    expectPlan: async (planned) => {
      if (!allowSecrets) await expectNoSecrets(planned, base)
      await expectSchemas(planned, base)
    },
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

/** What is encrypted in the document is not asked about: a plan tells. */
async function expectSchemas(
  {overrides}: PlannedImport,
  {check}: Pick<OverrideWorld['base'], 'check'>,
): Promise<void> {
  if (!check) return
  for (const {name, namespace, userOverrides} of overrides) {
    if (userOverrides === null || isSealed(userOverrides)) continue
    const values = readYaml(userOverrides, {file: `the overrides of ${name} in ${namespace}`}) ?? {}
    await check(name, namespace, values as Values)
  }
}

function contentOf({overrides, secrets, becomes}: Imported): ImportedContent {
  const changed = overrides.map(
    ({name, namespace, userOverrides}) =>
      ({name, namespace, action: userOverrides === null ? 'delete' : 'set'}) as const,
  )
  return {changed, secrets, ...(becomes !== undefined && {becomes})}
}

interface Place {
  readonly name: string
  readonly namespace: string
}

interface Next {
  readonly values: Values
  readonly secretAt: readonly ValuePath[]
  /** Whether they are to be encrypted. */
  readonly sealed: boolean
}

/** Changes the stored overrides, or with `dryRun` only says what they would be. Rejects as `OverrideService.update`, and `base.check`. */
async function updateStored(
  options: OverrideWorld,
  {name, namespace}: Place,
  {ifMatch, dryRun = false, showSecrets = false, ...update}: RequestedUpdate,
): ReturnType<OverrideService['update']> {
  const {base, store, allowSecrets} = options
  expectActive(await base.active(), name, namespace)
  const paths = await base.secretPaths(name)
  const next = (current: StoredOverrides | undefined): Next => {
    const before = keptValues(current)
    const values = applyUpdate(before.values, update)
    if (!allowSecrets) refuseSecret(changedAt(before.values, values, paths))
    const secretAt = secretsAmong(values, paths)
    // What was secret to a plugin that is not here now must not be written in clear.
    const stays = update.flag === 'reuse' && isOpaque(before, paths)
    return {values, secretAt, sealed: stays || secretAt.length > 0}
  }
  const answer = (made: Next, stored: StoredOverrides | undefined) => ({
    name,
    namespace,
    userOverrides: blockYaml(
      showSecrets || !made.sealed ? made.values : redactValues(made.values, secretPlaces([made], paths)),
    ),
    etag: etagOf(stored),
  })
  const current = await store.get(name, namespace)
  const would = next(current)
  const isNew = !isEmpty(would.values) && !isDeepStrictEqual(would.values, keptValues(current).values)
  if (isNew) await base.check?.(name, namespace, would.values)
  if (dryRun) return answer(would, current)
  // Of the last attempt, which is what was written.
  let made: Next = {values: {}, secretAt: [], sealed: false}
  const written = await write(options, {name, namespace, ifMatch}, (current) => {
    made = next(current)
    return {userOverrides: blockYaml(made.values) || null, secret: made.sealed, secretAt: made.secretAt}
  })
  return answer(made, written)
}

/** Deletes the deployer's overrides. What is left of a chart that is active no more can go, too. */
async function deleteOverrides(
  options: OverrideWorld,
  {name, namespace, ifMatch}: Place & {readonly ifMatch?: Condition},
): Promise<void> {
  const stored = await options.store.get(name, namespace)
  if (!stored) expectActive(await options.base.active(), name, namespace)
  if (!stored?.userOverrides && (!ifMatch || ifMatch.includes(''))) return
  const paths = await options.base.secretPaths(name)
  await write(options, {name, namespace, ifMatch}, (current) => {
    // To take one away is to change it, too.
    if (!options.allowSecrets) refuseSecret(changedAt(keptValues(current).values, {}, paths))
    return {userOverrides: null, secret: false}
  })
}

function isEmpty(values: Values): boolean {
  return Object.keys(values).length === 0
}

type Change = (current: StoredOverrides | undefined) => NextOverrides

/** Where nobody said from which overrides the change was made, it is made upon whatever is there. */
async function write(
  {store, who}: OverrideWorld,
  {name, namespace, ifMatch}: Place & {readonly ifMatch: Condition | undefined},
  change: Change,
): Promise<StoredOverrides> {
  if (ifMatch === undefined) return store.update({name, namespace, who}, change)
  const current = await store.get(name, namespace)
  const etag = etagOf(current)
  if (ifMatch.includes(etag ?? '') || (ifMatch.includes('*') && etag !== undefined)) {
    return store.put({name, namespace, who, expected: etag, ...change(current)})
  }
  throw new KkError(
    'KK_STORE_CONFLICT',
    `the overrides of ${name} in ${namespace} are not those any more that the change was made from`,
    {hint: 'look at them again, then repeat the change'},
  )
}

/** Throws `KK_SECRET` for a place that plugins call secret, where such may not be set. */
function refuseSecret(path: ValuePath | undefined): void {
  if (path === undefined) return
  throw keptByKk(`${path.join('.')} is a secret that kk keeps: an override of it`)
}

/** `KK_SECRET`: `what` may hold secrets that are not to be set. */
function keptByKk(what: string): KkError {
  return new KkError('KK_SECRET', `${what} can neither be set nor taken away here`, {
    hint: 'change the secret with kk secrets rotate, or start the server with --allow-secret-overrides',
  })
}
