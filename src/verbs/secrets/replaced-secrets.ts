import {KkError} from '../../base/errors.ts'
import {textAt} from '../../base/values.ts'
import type {StoredRelease} from '../../kubernetes/records/release-record.ts'
import {secretMark} from '../../kubernetes/records/secret-store.ts'
import {mergedValues} from '../../overrides/layers.ts'
import type {ByHand} from '../../overrides/system/plugin.ts'
import type {Prepared} from '../../prepare/prepare.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'
import {isStated} from './secret-needs.ts'

/** A secret in use: a password or key of a running release that would be replaced by another value. */
export interface SecretInUse {
  readonly namespace: string
  readonly name: string
  readonly byHand?: ByHand | undefined
  /**
   * `unstated`: it was not rotated and the environment does not state it, so that kk would supply another
   * value: a stored one, the value of another release, or a new one. `stated`: the environment states another
   * value. `turned-off`: kk may no longer supply it and the environment does not state it, so that the
   * chart's default applies.
   */
  readonly reason: 'unstated' | 'stated' | 'turned-off'
}

/**
 * Returns the secrets that upgrades would replace, compared with the last revision of each release. Rotated
 * secrets are skipped, because their replacement was requested.
 */
export async function replacedSecrets(
  {releases, plugins, generated}: Pick<Prepared, 'releases' | 'plugins' | 'generated'>,
  previous: ReadonlyMap<ReleaseId, readonly StoredRelease[]>,
): Promise<readonly SecretInUse[]> {
  const secretsInUse = new Map<string, SecretInUse>()
  for (const [release, [before]] of previous) {
    const {chart, layers} = releases.get(release)!
    const values = mergedValues(layers)
    const generatedByName = new Map(generated?.get(release)?.map((secret) => [secret.name, secret]))
    for (const {name, path, byHand} of (await plugins.find(chart))?.secrets ?? []) {
      const former = textAt(before?.values ?? {}, path)
      if (former === undefined || former === textAt(values, path)) continue
      const generatedHere = generatedByName.get(name)
      // It was rotated since then on request.
      if (generatedHere?.former.includes(secretMark(name, former))) continue
      const namespace = releaseNamespace(release)
      const isStatedHere = isStated(values, path) && (!generatedHere || generatedHere.isReferenced)
      const reason = isStatedHere ? 'stated' : generatedHere ? 'unstated' : 'turned-off'
      if (reason === 'turned-off' && former === textAt(plugins.dialectChart(chart).values, path)) continue
      const key = JSON.stringify([namespace, name])
      secretsInUse.set(key, {namespace, name, reason, byHand: byHand ?? secretsInUse.get(key)?.byHand})
    }
  }
  return [...secretsInUse.values()]
}

/** Returns the notes on these secrets for a plan. */
export function replacedSecretNotes(secrets: readonly SecretInUse[]): readonly string[] {
  const unstated = secrets.filter(({reason}) => reason === 'unstated')
  const turnedOff = secrets.filter(({reason}) => reason === 'turned-off')
  const changedByHand = secrets.filter(({reason, byHand}) => reason === 'stated' && byHand !== undefined)
  return [
    ...(unstated.length === 0
      ? []
      : [
          `passwords and keys in use are no longer stated, and would be replaced: ${unstated.map(label).join(', ')}`,
        ]),
    ...(turnedOff.length === 0
      ? []
      : [
          `passwords and keys in use are no longer supplied by kk (secrets: false), are not stated, and would be replaced by the defaults of charts: ${turnedOff.map(label).join(', ')}`,
        ]),
    ...changedByHand.map((secret) => `another ${label(secret)} is stated, but ${secret.byHand!.why}`),
  ]
}

/** Throws `KK_ROTATION` if an upgrade would not put a new value of this secret into effect. */
export function expectEffective({namespace, name, byHand}: Omit<SecretInUse, 'reason'>): void {
  if (!byHand) return
  throw new KkError(
    'KK_ROTATION',
    `a new value of ${label({namespace, name})} would lock out its users: ${byHand.why}`,
    {
      hint: `by hand, in this order: ${byHand.first}; kk secrets import FILE --replace --changed-by-hand; kk upgrade of all that use it (kk docs secrets-and-rotation)`,
    },
  )
}

/** Throws the error of `unstatedSecret`, if there is one. */
export function expectSecretsStated(secrets: readonly SecretInUse[]): void {
  const refusal = unstatedSecret(secrets)
  if (refusal) throw refusal
}

/**
 * Returns `KK_ROTATION` if a secret in use is no longer stated or supplied and needs manual steps to change.
 */
export function unstatedSecret(secrets: readonly SecretInUse[]): KkError | undefined {
  const locked = secrets.find(({reason, byHand}) => reason !== 'stated' && byHand !== undefined)
  if (!locked) return undefined
  const message = `${label(locked)} is in use and not stated, and another value would lock out its users: ${locked.byHand!.why}`
  return new KkError('KK_ROTATION', message, {
    hint:
      locked.reason === 'turned-off'
        ? 'state the value in use, or remove `secrets: false`, which disables the secrets of kk'
        : 'state the value in use; or import it, so that it need not be stated: kk secrets import FILE --replace --changed-by-hand',
  })
}

function label({namespace, name}: Pick<SecretInUse, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`
}
