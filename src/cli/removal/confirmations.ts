import {KkError} from '../../errors.ts'
import {type ReleaseId, releaseName} from '../../release.ts'
import type {PlannedRemoval} from '../../verbs/removal/planned.ts'
import {typedName} from '../confirm/confirm-name.ts'

/**
 * Protected releases go only when each is named: with `--confirm`, or typed on a terminal. Throws `KK_UNCONFIRMED`, and
 * `KK_USAGE` for a name that is not about to be removed.
 */
export async function confirmProtected(
  {plan, absent}: PlannedRemoval,
  confirmed: readonly string[],
  mayAsk: boolean,
): Promise<void> {
  const releases = plan.actions.map(({release}) => release)
  for (const name of confirmed) {
    if (absent.includes(name) || releases.some((release) => isNamed(release, name))) continue
    throw new KkError('KK_USAGE', `--confirm ${name}: no release of that name is about to be removed`, {
      hint: `these are: ${releases.map(releaseName).join(', ')}`,
    })
  }
  const open = plan.actions
    .filter((action) => action.protected && !confirmed.some((name) => isNamed(action.release, name)))
    .map(({release}) => release)
  if (open.length > 0 && !mayAsk) throw stillProtected(open)
  for (const release of open) {
    const name = releaseName(release)
    if (!(await typedName(`${release} is protected. To remove it`, name))) throw stillProtected([release])
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

function isNamed(release: ReleaseId, name: string): boolean {
  return release === name || releaseName(release) === name
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
