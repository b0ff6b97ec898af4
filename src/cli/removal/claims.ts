import type {Claim} from '../../cluster/cluster.ts'
import {KkError} from '../../errors.ts'
import {canAsk} from '../confirm/confirm.ts'
import {typedName} from '../confirm/confirm-name.ts'

interface Wish {
  /** `--delete-data`. */
  readonly isWanted: boolean
  /** `--confirm-data`: names of claims, with their namespace where one name is not enough. */
  readonly confirmed: readonly string[]
}

/**
 * The claims whose data the user gives up, each by name: with `--confirm-data`, or typed on a terminal. The others stay.
 * Throws `KK_USAGE` for a name that is none of them, `KK_UNCONFIRMED` when data shall go and none was named.
 */
export async function chosenClaims(
  claims: readonly Claim[],
  {isWanted, confirmed}: Wish,
): Promise<readonly Claim[]> {
  if (!isWanted) {
    if (confirmed.length === 0) return []
    throw new KkError('KK_USAGE', '--confirm-data is only for --delete-data', {
      hint: 'pass both, or neither: without them all data stays',
    })
  }
  const named = confirmed.map((name) => claimNamed(claims, name))
  const open = claims.filter((claim) => !named.includes(claim))
  if (confirmed.length > 0 || open.length === 0) return named
  if (!canAsk()) throw unconfirmed(open)
  const typed: Claim[] = []
  for (const claim of open) {
    const question = `to delete the data of ${claim.namespace}/${claim.name}`
    if (await typedName(question, claim.name)) typed.push(claim)
  }
  return typed
}

function claimNamed(claims: readonly Claim[], text: string): Claim {
  const found = claims.filter(({name, namespace}) => text === name || text === `${namespace}/${name}`)
  if (found.length === 1) return found[0]!
  if (found.length > 1) {
    throw new KkError('KK_USAGE', `--confirm-data ${text} is not one claim`, {
      hint: `name it with its namespace: ${found.map(({name, namespace}) => `${namespace}/${name}`).join(', ')}`,
    })
  }
  throw new KkError('KK_USAGE', `--confirm-data ${text}: no claim of that name would be left behind`, {
    hint:
      claims.length === 0
        ? 'these releases leave no claims'
        : `there are: ${claims.map(({name}) => name).join(', ')}`,
  })
}

function unconfirmed(claims: readonly Claim[]): KkError {
  return new KkError('KK_UNCONFIRMED', 'data is deleted only claim by claim, and none was named', {
    hint: `name those whose data may go: ${claims.map(({name}) => `--confirm-data ${name}`).join(' ')}`,
  })
}
