import {KkError} from '../../base/errors.ts'
import type {Claim} from '../../kubernetes/objects/live-objects.ts'
import {type ReleaseCleanup, resourceText} from '../../plan/removal/cleanup.ts'
import {isNamed, type ReleaseId, releaseName} from '../../release.ts'
import {type ConfirmDataLoss, hookDataText, isNameOf} from '../../verbs/change/hook-data.ts'
import type {PlannedRemoval} from '../../verbs/removal/planned.ts'
import {canAsk, typedName} from '../console.ts'

interface ClaimOptions {
  /** `--delete-data`. */
  readonly isWanted: boolean
  /** `--confirm-data`: names of claims, with their namespace if a name is ambiguous. */
  readonly confirmed: readonly string[]
  /** True if the user can be asked for names. */
  readonly mayAsk: boolean
}

/**
 * Returns the claims to delete among those that would stay, each confirmed by name: with `--confirm-data`, or
 * typed on a terminal. Throws `KK_UNCONFIRMED` if a claim that helm deletes with its release is not
 * confirmed, or if data should be deleted and no claim is confirmed, and `KK_USAGE` for an unknown name.
 */
export async function chosenClaims(
  planned: PlannedRemoval,
  options: ClaimOptions,
): Promise<readonly Claim[]> {
  const {claims, goingClaims} = planned
  const {isWanted, confirmed, mayAsk} = options
  if (!isWanted && confirmed.length > 0) {
    throw new KkError('KK_USAGE', '--confirm-data is only for --delete-data', {
      hint: 'pass both, or neither: without them all data stays',
    })
  }
  const named = confirmed.flatMap((name) => findClaim(planned, name))
  await expectConfirmed(
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
 * Returns a function that confirms the deletion of data by hooks: by `--confirm-data`, or by typing its name
 * on a terminal.
 */
export function dataLossPrompt(confirmed: readonly string[] = []): ConfirmDataLoss {
  return async (data) =>
    confirmed.some((name) => isNameOf(data, name)) ||
    (canAsk() && (await typedName(`to delete ${hookDataText(data)}`, data.name)))
}

interface Confirmed extends Pick<ClaimOptions, 'mayAsk'> {
  readonly named: readonly Claim[]
}

/** Rejects with `KK_UNCONFIRMED` for the first claim whose deletion is not confirmed. */
async function expectConfirmed(open: readonly Claim[], {named, mayAsk}: Confirmed): Promise<void> {
  for (const claim of open) {
    if (mayAsk && (await isTyped(claim))) continue
    const flags = confirmations([...named, ...open])
    const list = open.map(placed).join(', ')
    throw new KkError('KK_UNCONFIRMED', `helm would delete ${list} with its data; nothing was changed`, {
      hint: `confirm each claim to delete: --delete-data ${flags}; to keep it, annotate its document in the chart with helm.sh/resource-policy: keep (for an item of a List, annotate the List: helm does not read the annotations of items), and upgrade first`,
    })
  }
}

function isTyped(claim: Claim): Promise<boolean> {
  return typedName(`to delete the data of ${placed(claim)}`, claim.name)
}

function findClaim({claims, goingClaims, isRepeated}: PlannedRemoval, text: string): readonly Claim[] {
  const all = [...new Map([...goingClaims, ...claims].map((claim) => [claim.uid, claim])).values()]
  const matches = all.filter((claim) => text === claim.name || text === placed(claim))
  if (matches.length === 1 || (matches.length === 0 && isRepeated)) return matches
  if (matches.length > 1) {
    throw new KkError('KK_USAGE', `--confirm-data ${text} matches several claims`, {
      hint: `specify it with its namespace: ${matches.map(placed).join(', ')}`,
    })
  }
  throw new KkError('KK_USAGE', `--confirm-data ${text}: these releases have no claim with that name`, {
    hint: all.length === 0 ? 'they have no claims' : `they have: ${all.map(({name}) => name).join(', ')}`,
  })
}

/** Returns the flags that confirm the claims by name, with the namespace if a name is ambiguous. */
function confirmations(claims: readonly Claim[]): string {
  const isOne = ({name}: Claim) => claims.filter((each) => each.name === name).length === 1
  return claims.map((claim) => `--confirm-data ${isOne(claim) ? claim.name : placed(claim)}`).join(' ')
}

function placed({namespace, name}: Claim): string {
  return `${namespace}/${name}`
}

function unconfirmed(claims: readonly Claim[]): KkError {
  return new KkError('KK_UNCONFIRMED', 'the deletion of each claim must be confirmed, and none was', {
    hint: `confirm the claims to delete: ${confirmations(claims)}`,
  })
}

/**
 * Confirms each protected release, and each release with data to purge in other services, by name: with
 * `--confirm`, or typed on a terminal. Throws `KK_UNCONFIRMED`, and `KK_USAGE` for a name that is not about
 * to be removed.
 */
export async function confirmNamed(
  {plan, cleanups, losing, absent}: PlannedRemoval,
  confirmed: readonly string[],
  mayAsk: boolean,
): Promise<void> {
  const releases = plan.actions.map(({release}) => release)
  for (const name of confirmed) {
    if (absent.includes(name) || [...releases, ...losing].some((release) => isNamed(release, name))) continue
    throw new KkError('KK_USAGE', `--confirm ${name}: no release with that name is about to be removed`, {
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
    ({release, deleted}) => deleted.length > 0 && isOpen(release) && !open.includes(release),
  )
  if (purged.length > 0 && !mayAsk) throw stillPurged(purged)
  for (const cleanup of purged) {
    const {release, deleted} = cleanup
    const what = `to permanently delete ${deleted.map(resourceText).join(', ')} with ${release}`
    if (!(await typedName(what, releaseName(release)))) throw stillPurged([cleanup])
  }
}

/**
 * Confirms the removal of an environment by name. Returns true if `--confirm` did, false if it was typed.
 * Throws `KK_UNCONFIRMED`.
 */
export async function confirmEnvironment(
  name: string,
  confirmed: readonly string[],
  mayAsk: boolean,
): Promise<boolean> {
  if (confirmed.includes(name)) return true
  if (mayAsk && (await typedName('to remove the environment', name))) return false
  throw new KkError('KK_UNCONFIRMED', `the environment "${name}" was not confirmed; nothing was changed`, {
    hint: `check the two lists above, then pass --confirm ${name}`,
  })
}

function stillPurged(cleanups: readonly ReleaseCleanup[]): KkError {
  const list = cleanups
    .map(({release, deleted}) => `${release} (${deleted.map(resourceText).join(', ')})`)
    .join('; ')
  const flags = cleanups.map(({release}) => `--confirm ${releaseName(release)}`).join(' ')
  return new KkError(
    'KK_UNCONFIRMED',
    `the data of ${list} in other services would be permanently deleted, and is not confirmed; nothing was changed`,
    {hint: `check the lists above, then pass ${flags}; without --purge it stays`},
  )
}

function stillProtected(releases: readonly ReleaseId[]): KkError {
  const list = releases.join(', ')
  return new KkError(
    'KK_UNCONFIRMED',
    `${list} ${releases.length === 1 ? 'is' : 'are'} protected and not confirmed; nothing was changed`,
    {
      hint: `confirm each release to remove: ${releases.map((release) => `--confirm ${releaseName(release)}`).join(' ')}`,
    },
  )
}
