import {KkError} from '../../errors.ts'
import {applyUpdate} from '../../overrides/apply-update.ts'
import {blockYaml} from '../../overrides/format/overrides-yaml.ts'
import {changedAt, maskSecrets, secretsAmong, type ValuePath} from '../../overrides/secrets.ts'
import type {OverrideService, RequestedUpdate} from '../../overrides/service.ts'
import {expectActive} from '../../overrides/system/active.ts'
import type {NextOverrides, StoredOverrides} from '../../overrides/user/store.ts'
import {etagOf, storedValues} from '../../overrides/user/stored-values.ts'
import type {Values} from '../../release.ts'
import type {OverrideWorld} from './override-world.ts'

interface Place {
  readonly name: string
  readonly namespace: string
}

/** Changes the stored overrides, or with `dryRun` only says what they would be. Rejects as `OverrideService.update`. */
export async function updateStored(
  options: OverrideWorld,
  {name, namespace}: Place,
  {ifMatch, dryRun = false, showSecrets = false, ...update}: RequestedUpdate,
): ReturnType<OverrideService['update']> {
  const {base, store, allowSecrets} = options
  expectActive(await base.active(), name, namespace)
  const paths = await base.secretPaths(name)
  const next = (current: StoredOverrides | undefined): Values => {
    const before = storedValues(current)
    const after = applyUpdate(before, update)
    if (!allowSecrets) refuseSecrets(changedAt(before, after, paths))
    return after
  }
  const answer = (values: Values, stored: StoredOverrides | undefined) => ({
    name,
    namespace,
    userOverrides: blockYaml(showSecrets ? values : maskSecrets(values, paths)),
    etag: etagOf(stored),
  })
  if (dryRun) {
    const current = await store.get(name, namespace)
    return answer(next(current), current)
  }
  // Of the last attempt, which is what was written.
  let values: Values = {}
  const written = await write(options, {name, namespace, ifMatch}, (current) => {
    values = next(current)
    const secretAt = secretsAmong(values, paths)
    return {userOverrides: blockYaml(values) || null, secret: secretAt.length > 0, secretAt}
  })
  return answer(values, written)
}

/** Deletes the deployer's overrides. What is left of a chart that is active no more can go, too. */
export async function deleteOverrides(
  options: OverrideWorld,
  {name, namespace, ifMatch}: Place & {readonly ifMatch?: string},
): Promise<void> {
  const stored = await options.store.get(name, namespace)
  if (!stored) expectActive(await options.base.active(), name, namespace)
  if (!stored?.userOverrides && !ifMatch) return
  await write(options, {name, namespace, ifMatch}, () => ({userOverrides: null, secret: false}))
}

type Change = (current: StoredOverrides | undefined) => NextOverrides

/** Where nobody said from which overrides the change was made, it is made upon whatever is there. */
async function write(
  {store, who}: OverrideWorld,
  {name, namespace, ifMatch}: Place & {readonly ifMatch: string | undefined},
  change: Change,
): Promise<StoredOverrides> {
  if (ifMatch === undefined) return store.update({name, namespace, who}, change)
  const current = await store.get(name, namespace)
  const etag = etagOf(current)
  if ((etag ?? '') === ifMatch) {
    return store.put({name, namespace, who, expected: etag, ...change(current)})
  }
  throw new KkError(
    'KK_STORE_CONFLICT',
    `the overrides of ${name} in ${namespace} are not those any more that the change was made from`,
    {hint: 'look at them again, then repeat the change'},
  )
}

function refuseSecrets(path: ValuePath | undefined): void {
  if (path === undefined) return
  throw new KkError(
    'KK_SECRET',
    `${path.join('.')} is a secret that kk keeps: it cannot be overridden here`,
    {
      hint: 'change it with kk secrets rotate, or start the server with --allow-secret-overrides',
    },
  )
}
