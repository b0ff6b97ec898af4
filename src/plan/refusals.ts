import type {ReleaseRecord} from '../cluster/cluster.ts'
import {KkError} from '../errors.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../release.ts'

/** `KK_FOREIGN`: the environment wants a release whose name is taken by one that kk did not install. */
export function foreign({release, revision, status}: ReleaseRecord): KkError {
  return new KkError(
    'KK_FOREIGN',
    `${release} exists already (revision ${revision}, ${status}), and kk did not install it`,
    {
      hint: `give ${releaseName(release)} another name or namespace, or remove that one with helm`,
    },
  )
}

/** `KK_OWNER`: the file states a release that another environment owns. */
export function statedElsewhere({release}: ReleaseRecord, owner: string, file: string): KkError {
  const name = releaseName(release)
  return new KkError(
    'KK_OWNER',
    `${release} belongs to the environment "${owner}", but ${file === '-' ? 'standard input' : file} states it too`,
    {
      hint: `take ${name} out of the file: what requires it uses it as it is; change it in the environment "${owner}"`,
    },
  )
}

/** `KK_OWNER`: the command line asks to change a release that another environment owns. */
export function namedElsewhere({release}: ReleaseRecord, owner: string): KkError {
  return new KkError(
    'KK_OWNER',
    `${release} belongs to the environment "${owner}", but the command line asks to change it`,
    {hint: `change it with the file of the environment "${owner}"`},
  )
}

/** `KK_NOT_INSTALLED`: a release that this plan may not install is named or required. */
export function notInstalled(release: ReleaseId, reason: string | undefined): KkError {
  const because = reason === undefined ? '' : ` (${reason})`
  return new KkError('KK_NOT_INSTALLED', `${release} is not installed${because}`, {
    hint: 'install all that is wanted, and what it requires, with: kk deploy',
  })
}

/** `KK_PENDING` when an operation on the release has not ended, or ended half way; undefined when helm may work on it. */
export function unfinished({release, revision, status}: ReleaseRecord): KkError | undefined {
  const hint = HINTS[status]
  if (!hint) return undefined
  const name = releaseName(release)
  return new KkError('KK_PENDING', `${release} is ${status} at revision ${revision}`, {
    hint: hint(`${name} -n ${releaseNamespace(release)}`, name),
  })
}

type Hint = (helmArguments: string, name: string) => string

const pending: Hint = (helmArguments) =>
  `another run may be at work: wait until it ends; if none is, helm was killed: see "helm history ${helmArguments}", ` +
  `and "helm rollback" to a revision that it names`

// What each status allows is told by Helm's upgrade.go prepareUpgrade: it refuses all of these.
const HINTS: Readonly<Record<string, Hint>> = {
  'pending-install': pending,
  'pending-upgrade': pending,
  'pending-rollback': pending,
  uninstalling: (_, name) => `its removal did not end: finish it with "kk remove ${name}", then deploy`,
  uninstalled: (_, name) => `only its history is left: take that away with "kk remove ${name}", then deploy`,
  unknown: (helm) => `see "helm history ${helm}", and bring the release to a known state with helm`,
}
