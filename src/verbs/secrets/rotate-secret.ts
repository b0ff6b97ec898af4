import {KkError} from '../../base/errors.ts'
import {suggest} from '../../base/suggest.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import {formerMarks, type NewSecret, type SecretsByName} from '../../kubernetes/records/secret-store.ts'
import {generateSecret} from '../../overrides/generate-secret.ts'
import type {Plan} from '../../plan/plan.ts'
import type {Prepared} from '../../prepare/prepare.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'
import {observedPlan} from '../plan.ts'
import {expectEffective} from './replaced-secrets.ts'
import type {SecretNeeds} from './secret-needs.ts'
import {type KnownSecrets, supplySecrets} from './supply-secrets.ts'

export interface Rotation {
  readonly namespace: string
  readonly secret: NewSecret
  /** The upgrade that follows, of the installed releases that use the secret and no others. */
  readonly plan: Plan
  readonly releases: readonly ReleaseId[]
}

export interface RotationOptions {
  readonly namespace: string
  readonly name: string
  readonly needs: SecretNeeds
  /** The secrets that the cluster keeps, for every namespace of `needs`. */
  readonly stored: KnownSecrets
}

/**
 * Plans a new value without storing it. Throws `KK_USAGE` for a secret that the cluster does not keep or no
 * release uses, and `KK_ROTATION` if an upgrade would not put the new value into effect.
 */
export async function planRotation(
  prepared: Prepared,
  cluster: Cluster,
  {namespace, name, needs, stored}: RotationOptions,
): Promise<Rotation> {
  const inNamespace: SecretsByName = stored.get(namespace) ?? new Map()
  const users = [...needs].filter(
    ([release, each]) => releaseNamespace(release) === namespace && each.some((need) => need.name === name),
  )
  const needed = users.flatMap(([, each]) => each).filter((each) => each.name === name)
  const [need] = needed
  if (inNamespace.get(name)?.isReferenced) throw keptElsewhere(prepared, namespace, name)
  if (!inNamespace.has(name) || !need)
    throw unknownSecret(namespace, name, {inNamespace, isUsed: need !== undefined})
  expectEffective({namespace, name, byHand: needed.find(({byHand}) => byHand)?.byHand})
  const secret = {name, kind: need.kind, value: generateSecret(need.kind, inNamespace.get(name)?.value)}
  const replaced = {...secret, since: undefined, ...formerMarks(name, inNamespace)}
  const next = new Map([...stored, [namespace, new Map([...inNamespace, [name, replaced]])]])
  const {planned} = supplySecrets(prepared, {needs, cluster: next, store: new Map()})
  const {plan} = await observedPlan(planned, cluster, {names: [], install: false})
  const concerned = new Set(users.map(([release]) => release))
  const actions = plan.actions.filter(({release, kind}) => concerned.has(release) && kind === 'upgrade')
  return {
    namespace,
    secret,
    plan: {...plan, actions, bystanders: []},
    releases: actions.map(({release}) => release),
  }
}

function keptElsewhere({environment}: Prepared, namespace: string, name: string): KkError {
  const {secret, ...reference} = environment.secretReferences!.get(name)!
  const place = `${reference.namespace ?? namespace}/${secret}`
  return new KkError('KK_USAGE', `kk does not keep ${name}: kk.secrets takes it from the Secret ${place}`, {
    hint: 'change it there; kk plan then shows the releases to upgrade',
  })
}

function unknownSecret(
  namespace: string,
  name: string,
  {inNamespace, isUsed}: {readonly inNamespace: SecretsByName; readonly isUsed: boolean},
): KkError {
  if (inNamespace.has(name)) {
    return new KkError('KK_USAGE', `no release in ${namespace} gets the secret ${name} from kk`, {
      hint: 'the environment states it, or has no chart that needs it: change it in the file',
    })
  }
  const advice = isUsed ? 'kk deploy makes it, or keeps the one in use again' : 'see kk secrets list'
  const close = suggest(name, [...inNamespace.keys()])
  const what = isUsed ? 'is not made yet' : 'is not kept'
  return new KkError('KK_USAGE', `the secret ${name} ${what} in the cluster for ${namespace}`, {
    hint: close === undefined ? advice : `did you mean ${close}?`,
  })
}
