import {isDeepStrictEqual} from 'node:util'
import {KkError} from '../../errors.ts'
import {applyUpdate} from '../../overrides/apply-update.ts'
import {blockYaml} from '../../overrides/format/overrides-yaml.ts'
import {
  changedAt,
  isOpaque,
  maskSecrets,
  secretPlaces,
  secretsAmong,
  type ValuePath,
} from '../../overrides/secrets/secret-values.ts'
import type {Condition, OverrideService, RequestedUpdate} from '../../overrides/service.ts'
import {expectActive} from '../../overrides/system/active.ts'
import type {NextOverrides, StoredOverrides} from '../../overrides/user/store.ts'
import {etagOf, keptValues} from '../../overrides/user/stored-values.ts'
import type {Values} from '../../release.ts'
import type {OverrideWorld} from './override-world.ts'
import {refuseSecret} from './refuse-secrets.ts'

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
export async function updateStored(
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
      showSecrets || !made.sealed ? made.values : maskSecrets(made.values, secretPlaces([made], paths)),
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
export async function deleteOverrides(
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
