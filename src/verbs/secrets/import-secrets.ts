import type {KollaPasswords} from '../../exchange/kolla/passwords.ts'
import type {SecretStore} from '../../kubernetes/records/secret-store.ts'
import type {SecretUses} from './list-secrets.ts'
import {expectEffective} from './replaced-secrets.ts'

export interface ImportedSecret {
  readonly name: string
  /** The name in kolla. */
  readonly from: string
  /** `kept`: another value existed, and stays. `same`: this value existed. */
  readonly outcome: 'added' | 'replaced' | 'kept' | 'same'
}

export interface SecretImport {
  readonly namespace: string
  readonly secrets: readonly ImportedSecret[]
  /** Kolla's names that kk does not know, or no chart uses. */
  readonly unknown: readonly string[]
  /** Kolla's names without a value. */
  readonly empty: readonly string[]
}

interface ImportOptions {
  readonly namespace: string
  readonly replace: boolean
  readonly dryRun: boolean
  /** Whether the user has already done the manual steps that an upgrade does not do. */
  readonly byHand: boolean
  readonly uses: SecretUses
}

/**
 * Stores those of kolla's passwords that kk's charts use; an existing secret stays unless `replace`. Rejects
 * with `KK_ROTATION` if an upgrade would not put a replaced value into effect, unless `byHand`.
 */
export async function importSecrets(
  {secrets, unknown, empty}: KollaPasswords,
  store: SecretStore,
  {namespace, replace, dryRun, byHand, uses}: ImportOptions,
): Promise<SecretImport> {
  const used = secrets.filter(({name}) => uses.has(name))
  const present = await store.read(namespace)
  const outcomes = used.map(({name, from, value}) => ({
    name,
    from,
    value,
    outcome: importOutcome(present.get(name)?.value, value, replace),
  }))
  const replaced = outcomes.filter(({outcome}) => outcome === 'replaced')
  for (const {name} of byHand ? [] : replaced) {
    expectEffective({namespace, name, byHand: uses.get(name)?.byHand})
  }
  const written = outcomes
    .filter(({outcome}) => outcome === 'added' || outcome === 'replaced')
    .map(({name, value}) => ({name, value, kind: uses.get(name)!.kind}))
  if (!dryRun && written.length > 0) await store.add(namespace, written, {replace})
  const unused = secrets.filter(({name}) => !uses.has(name)).map(({from}) => from)
  return {
    namespace,
    secrets: outcomes.map(({name, from, outcome}) => ({name, from, outcome})),
    unknown: [...unknown, ...unused].sort(),
    empty,
  }
}

function importOutcome(
  present: string | undefined,
  value: string,
  replace: boolean,
): ImportedSecret['outcome'] {
  if (present === undefined) return 'added'
  if (present === value) return 'same'
  return replace ? 'replaced' : 'kept'
}
