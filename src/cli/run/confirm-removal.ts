import {KkError} from '../../base/errors.ts'
import type {Claim} from '../../kubernetes/objects/live-objects.ts'
import {type ReleaseCleanup, thingText} from '../../plan/removal/cleanup.ts'
import {isNamed, type ReleaseId, releaseName} from '../../release.ts'
import {type GiveUp, hookDataText, isNameOf} from '../../verbs/change/hook-data.ts'
import type {PlannedRemoval} from '../../verbs/removal/planned.ts'
import {canAsk, typedName} from '../console.ts'

interface Wish {
  /** `--delete-data`. */
  readonly isWanted: boolean
  /** `--confirm-data`: names of claims, with their namespace where one name is not enough. */
  readonly confirmed: readonly string[]
  /** True when names can be asked for. */
  readonly mayAsk: boolean
}

/**
 * The claims of those that would stay whose data the user gives up, each by name: with `--confirm-data`, or typed on a
 * terminal. The others stay. Throws `KK_UNCONFIRMED` when a claim that goes with its release was not named, or when data
 * shall go and none was named, and `KK_USAGE` for a name that is none of them.
 */
export async function chosenClaims(planned: PlannedRemoval, wish: Wish): Promise<readonly Claim[]> {
  const {claims, goingClaims} = planned
  const {isWanted, confirmed, mayAsk} = wish
  if (!isWanted && confirmed.length > 0) {
    throw new KkError('KK_USAGE', '--confirm-data is only for --delete-data', {
      hint: 'pass both, or neither: without them all data stays',
    })
  }
  const named = confirmed.flatMap((name) => claimNamed(planned, name))
  await expectGivenUp(
    goingClaims.filter((claim) => !named.includes(claim)),
    {named, mayAsk},
  )
  const staying = named.filter((claim) => claims.includes(claim))
  const open = claims.filter((claim) => !named.includes(claim))
  if (!isWanted || confirmed.length > 0 || open.length === 0) return staying
  if (!mayAsk) throw unconfirmed(open)
  const typed: Claim[] = []
  for (const claim of open) if (await isTyped(claim)) typed.push(claim)
  return typed
}

/**
 * Asks whether data may go that hooks delete: it was named with `--confirm-data`, or its name is typed on a terminal.
 */
export function asksForData(confirmed: readonly string[] = []): GiveUp {
  return async (data) =>
    confirmed.some((name) => isNameOf(data, name)) ||
    (canAsk() && (await typedName(`to delete ${hookDataText(data)}`, data.name)))
}

interface Given extends Pick<Wish, 'mayAsk'> {
  readonly named: readonly Claim[]
}

/** Rejects with `KK_UNCONFIRMED` for the first claim whose data is not given up: to keep it, its release stays or its chart keeps it. */
async function expectGivenUp(open: readonly Claim[], {named, mayAsk}: Given): Promise<void> {
  for (const claim of open) {
    if (mayAsk && (await isTyped(claim))) continue
    const flags = confirmations([...named, ...open])
    const list = open.map(placed).join(', ')
    throw new KkError(
      'KK_UNCONFIRMED',
      `helm would delete ${list} with the data in it; nothing was changed`,
      {
        hint: `name each whose data may go: --delete-data ${flags}; to keep it, annotate its document in the chart with helm.sh/resource-policy: keep (if it is an item of a List, annotate the List: helm does not read those of items), and upgrade first`,
      },
    )
  }
}

function isTyped(claim: Claim): Promise<boolean> {
  return typedName(`to delete the data of ${placed(claim)}`, claim.name)
}

function claimNamed({claims, goingClaims, isRepeated}: PlannedRemoval, text: string): readonly Claim[] {
  const all = [...new Map([...goingClaims, ...claims].map((claim) => [claim.uid, claim])).values()]
  const found = all.filter((claim) => text === claim.name || text === placed(claim))
  if (found.length === 1 || (found.length === 0 && isRepeated)) return found
  if (found.length > 1) {
    throw new KkError('KK_USAGE', `--confirm-data ${text} is not one claim`, {
      hint: `name it with its namespace: ${found.map(placed).join(', ')}`,
    })
  }
  throw new KkError('KK_USAGE', `--confirm-data ${text}: these releases have no claim of that name`, {
    hint: all.length === 0 ? 'they have no claims' : `there are: ${all.map(({name}) => name).join(', ')}`,
  })
}

/** By name, with the namespace where a name alone is not one claim. */
function confirmations(claims: readonly Claim[]): string {
  const isOne = ({name}: Claim) => claims.filter((each) => each.name === name).length === 1
  return claims.map((claim) => `--confirm-data ${isOne(claim) ? claim.name : placed(claim)}`).join(' ')
}

function placed({namespace, name}: Claim): string {
  return `${namespace}/${name}`
}

function unconfirmed(claims: readonly Claim[]): KkError {
  return new KkError('KK_UNCONFIRMED', 'data is deleted only claim by claim, and none was named', {
    hint: `name those whose data may go: ${confirmations(claims)}`,
  })
}

/**
 * Protected releases go only when each is named, and what releases have in other services: with `--confirm`, or typed on a
 * terminal. Throws `KK_UNCONFIRMED`, and `KK_USAGE` for a name that is not about to be removed.
 */
export async function confirmNamed(
  {plan, cleanups, losing, absent}: PlannedRemoval,
  confirmed: readonly string[],
  mayAsk: boolean,
): Promise<void> {
  const releases = plan.actions.map(({release}) => release)
  for (const name of confirmed) {
    if (absent.includes(name) || [...releases, ...losing].some((release) => isNamed(release, name))) continue
    throw new KkError('KK_USAGE', `--confirm ${name}: no release of that name is about to be removed`, {
      hint: `these are: ${releases.map(releaseName).join(', ')}`,
    })
  }
  const isOpen = (release: ReleaseId) => !confirmed.some((name) => isNamed(release, name))
  const open = plan.actions
    .filter((action) => action.protected)
    .map(({release}) => release)
    .filter(isOpen)
  if (open.length > 0 && !mayAsk) throw stillProtected(open)
  for (const release of open) {
    const name = releaseName(release)
    if (!(await typedName(`${release} is protected. To remove it`, name))) throw stillProtected([release])
  }
  const purged = cleanups.filter(
    ({release, goes}) => goes.length > 0 && isOpen(release) && !open.includes(release),
  )
  if (purged.length > 0 && !mayAsk) throw stillPurged(purged)
  for (const cleanup of purged) {
    const {release, goes} = cleanup
    const what = `to take away ${goes.map(thingText).join(', ')} with ${release}, for good`
    if (!(await typedName(what, releaseName(release)))) throw stillPurged([cleanup])
  }
}

/** An environment goes only when it is named. True when `--confirm` did, false when it was typed. Throws `KK_UNCONFIRMED`. */
export async function confirmEnvironment(
  name: string,
  confirmed: readonly string[],
  mayAsk: boolean,
): Promise<boolean> {
  if (confirmed.includes(name)) return true
  if (mayAsk && (await typedName('to take the environment away', name))) return false
  throw new KkError('KK_UNCONFIRMED', `the environment "${name}" was not confirmed; nothing was changed`, {
    hint: `look at the two lists above, then pass --confirm ${name}`,
  })
}

function stillPurged(cleanups: readonly ReleaseCleanup[]): KkError {
  const list = cleanups.map(({release, goes}) => `${release} (${goes.map(thingText).join(', ')})`).join('; ')
  const flags = cleanups.map(({release}) => `--confirm ${releaseName(release)}`).join(' ')
  return new KkError(
    'KK_UNCONFIRMED',
    `what ${list} has in other services would be gone for good, and is not confirmed; nothing was changed`,
    {hint: `look at the lists above, then pass ${flags}; without --purge it stays`},
  )
}

function stillProtected(releases: readonly ReleaseId[]): KkError {
  const list = releases.join(', ')
  return new KkError(
    'KK_UNCONFIRMED',
    `${list} ${releases.length === 1 ? 'is' : 'are'} protected and not confirmed; nothing was changed`,
    {
      hint: `name each that may go: ${releases.map((release) => `--confirm ${releaseName(release)}`).join(' ')}`,
    },
  )
}
