import type {Claim} from '../../cluster/cluster.ts'
import {asKkError, type KkError} from '../../errors.ts'
import {expectLetGo} from '../../verbs/removal/guarded.ts'
import type {PlannedRemoval, RemovalContext} from '../../verbs/removal/planned.ts'
import {canAsk} from '../confirm/confirm.ts'
import {chosenClaims} from './claims.ts'
import type {RemovalCommand} from './removal-command.ts'

/** What was confirmed of a removal. */
export interface ConfirmedRemoval {
  /** Whether nothing more need be asked. */
  readonly isConfirmed: boolean
  /** Claims that are given up. */
  readonly claims: readonly Claim[]
}

/**
 * All that a removal needs confirmed by name, one after the other; asks on a terminal. Throws `KK_UNCONFIRMED` for the
 * first that is not.
 */
export async function confirmRemoval(
  command: RemovalCommand,
  planned: PlannedRemoval,
  context: RemovalContext,
): Promise<ConfirmedRemoval> {
  const {confirm, guard, claims} = steps(command, planned, {context, mayAsk: canAsk()})
  const isConfirmed = await confirm()
  await guard()
  return {isConfirmed, claims: await claims()}
}

/** Every confirmation for want of which a removal would be refused; asks for none, and changes nothing. */
export async function missingConfirmations(
  command: RemovalCommand,
  planned: PlannedRemoval,
  context: RemovalContext,
): Promise<readonly KkError[]> {
  const missing: KkError[] = []
  for (const step of Object.values(steps(command, planned, {context, mayAsk: false}))) {
    try {
      await step()
    } catch (error) {
      const known = asKkError(error)
      if (known.code !== 'KK_UNCONFIRMED') throw error
      missing.push(known)
    }
  }
  return missing
}

interface Circumstances {
  readonly context: RemovalContext
  readonly mayAsk: boolean
}

function steps(command: RemovalCommand, planned: PlannedRemoval, {context, mayAsk}: Circumstances) {
  const {flags} = command
  const releases = planned.plan.actions.map(({release}) => release)
  const wish = {isWanted: flags['delete-data'], confirmed: flags['confirm-data'] ?? [], mayAsk}
  return {
    confirm: () => command.confirm(planned, context, mayAsk),
    guard: () => expectLetGo(context.cluster, releases, Date.now()),
    claims: () => chosenClaims(planned, wish),
  }
}
