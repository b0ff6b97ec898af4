import {KkError} from '../../base/errors.ts'
import type {KeptSecrets} from '../../kubernetes/records/kept-secrets.ts'
import {inputsDigest} from '../../plan/digest.ts'
import type {DeployKind, Plan} from '../../plan/plan.ts'
import type {Prepared} from '../../prepare/prepare.ts'
import {helmActions} from '../../prepare/rendering/render.ts'
import type {ReleaseId} from '../../release.ts'
import type {Supplied, SuppliedSecret} from './supply-secrets.ts'

/**
 * Keeps the new secrets of the releases that a plan installs or upgrades in the cluster, and those in use, whatever it
 * changes. Rejects with `KK_RACED` if somebody else kept other values first: theirs count, and the rendered objects have
 * others.
 */
export async function keepSecrets(
  {missing}: Pick<Supplied, 'missing'>,
  plan: Plan,
  cluster: {readonly secrets: KeptSecrets},
): Promise<void> {
  const changed = new Set<ReleaseId>(helmActions(plan).map(({release}) => release))
  const used = missing.filter(({release, isInUse}) => isInUse || changed.has(release))
  for (const [namespace, secrets] of Map.groupBy(used, (each) => each.namespace)) {
    const unique = [...new Map(secrets.map((each) => [each.name, each])).values()]
    const kept = await cluster.secrets.keep(namespace, unique)
    const others = unique.filter(({name, value}) => kept.get(name)?.value !== value)
    if (others.length > 0) throw raced(namespace, others)
  }
}

/** Returns the plan with the digests of the inputs that its run deploys. */
export function withInputs(plan: Plan<DeployKind>, {releases}: Pick<Prepared, 'releases'>): Plan<DeployKind> {
  return {
    ...plan,
    actions: plan.actions.map((action) => {
      const desired = releases.get(action.release)?.desired
      return desired && action.inputs !== '' ? {...action, inputs: inputsDigest(desired)} : action
    }),
  }
}

function raced(namespace: string, secrets: readonly SuppliedSecret[]): KkError {
  const names = secrets.map(({name}) => name).join(', ')
  return new KkError('KK_RACED', `somebody else made the secrets of ${namespace} meanwhile: ${names}`, {
    hint: 'no release was changed; run the same command again: it takes theirs',
  })
}
