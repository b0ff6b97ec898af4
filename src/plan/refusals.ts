import {KkError} from '../base/errors.ts'
import type {ReleaseRecord} from '../kubernetes/records/release-record.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../release.ts'
import type {Evidence, ObservedRecord} from './pending/evidence.ts'

/** Returns `KK_FOREIGN`: a release that kk did not install has the name of a wanted one. */
export function foreign({release, revision, status}: ReleaseRecord): KkError {
  return new KkError(
    'KK_FOREIGN',
    `${release} exists already (revision ${revision}, ${status}), and kk did not install it`,
    {
      hint: `take it over with: kk adopt ${releaseName(release)}; or give it another name or namespace in the file`,
    },
  )
}

/**
 * Returns `KK_OWNER`: the file states releases that other environments own. `owned` has at least one, each
 * with its owner; `renamed` are the environments all of whose releases the file has.
 */
export function ownedByOthers(
  owned: readonly {readonly release: ReleaseId; readonly owner: string}[],
  file: string,
  renamed: ReadonlySet<string> = new Set(),
): KkError {
  const [first] = owned
  const {release, owner} = first!
  const source = file === '-' ? 'standard input' : file
  const names = owned.map((each) => releaseName(each.release)).join(', ')
  const owners = [...new Set(owned.map((each) => each.owner))]
  const message =
    owned.length === 1
      ? `${release} belongs to the environment "${owner}", but ${source} states it too`
      : [
          `${owned.length} releases belong to other environments, but ${source} states them too:`,
          ...owned.map((each) => `  ${each.release} ("${each.owner}")`),
        ].join('\n')
  const handOver = owners
    .map((each) => {
      const ownedNames = owned
        .filter((one) => one.owner === each)
        .map((one) => `${releaseName(one.release)} `)
      return `kk adopt ${renamed.has(each) ? '' : ownedNames.join('')}--former-owner ${each}`
    })
    .join(', ')
  return new KkError('KK_OWNER', message, {
    hint: `take ${names} out of the file: releases that require it use it as it is, and "${owners.join('", "')}" changes it; for a separate cloud, give it another namespace (kk.namespace); to hand them over to this environment: ${handOver}`,
  })
}

/** Returns `KK_OWNER`: the command line asks to change a release that another environment owns. */
export function namedElsewhere({release}: ReleaseRecord, owner: string): KkError {
  return new KkError(
    'KK_OWNER',
    `${release} belongs to the environment "${owner}", but the command line asks to change it`,
    {hint: `change it with the file of the environment "${owner}"`},
  )
}

/** How to make each tool release its objects without removing them. */
const RELEASE_STEPS: Readonly<Record<string, string>> = {
  flux: 'suspend its HelmRelease, then delete that',
  argocd: 'delete its Application without what it made: argocd app delete --cascade=false',
}

/** Returns `KK_HANDED_OVER`, with the way back, for at least one release. */
export function handedOver(
  releases: readonly {readonly release: ReleaseId; readonly tool: string}[],
): KkError {
  const tools = [...new Set(releases.map(({tool}) => tool))]
  const names = releases.map(({release}) => releaseName(release)).join(' ')
  const one = releases.length === 1
  const ids = releases.map(({release}) => release).join(', ')
  const ways = tools.map(
    (tool) => `${RELEASE_STEPS[tool] ?? `make sure that ${tool} no longer runs for ${one ? 'it' : 'them'}`}`,
  )
  return new KkError(
    'KK_HANDED_OVER',
    `${ids} ${one ? 'was' : 'were'} handed over to ${tools.join(', ')}, and kk no longer changes ${one ? 'it' : 'them'}`,
    {
      hint: `change ${one ? 'it' : 'them'} with ${tools.join(', ')}; or take back: ${ways.join('; ')}; then kk adopt ${names}`,
    },
  )
}

/** Returns `KK_NOT_INSTALLED`: a release that this plan may not install is named or required. */
export function notInstalled(release: ReleaseId, reason: string | undefined): KkError {
  const because = reason === undefined ? '' : ` (${reason})`
  return new KkError('KK_NOT_INSTALLED', `${release} is not installed${because}`, {
    hint: 'install all that is wanted, and what it requires, with: kk deploy',
  })
}

/** Returns `KK_PENDING` if an operation is running, or was interrupted; undefined if helm may work. */
export function unfinished(record: ObservedRecord): KkError | undefined {
  const {release, revision, status, evidence} = record
  if (!REFUSED.has(status)) return undefined
  const actor = evidence ? actorText(evidence) : ''
  return new KkError('KK_PENDING', `${release} is ${status} at revision ${revision}${actor}`, {
    hint: pendingHint(record),
    release,
  })
}

/** The statuses that Helm's upgrade.go prepareUpgrade refuses. */
const REFUSED: ReadonlySet<string> = new Set([
  'pending-install',
  'pending-upgrade',
  'pending-rollback',
  'uninstalling',
  'uninstalled',
  'unknown',
])

function actorText(evidence: Evidence): string {
  if (evidence.state === 'foreign') return ', and nothing shows that kk did it'
  if (evidence.state !== 'running') return `, by run ${evidence.run}`
  return `: ${evidence.by} (process ${evidence.pid}) of run ${evidence.run} is working on it`
}

function pendingHint({release, revision, status, evidence}: ObservedRecord): string {
  const name = releaseName(release)
  const unlock = `kk unlock ${name} --revision ${revision}`
  if (status === 'uninstalled') return 'only its history is left: kk deploy installs it again'
  if (status === 'unknown')
    return `see "helm history ${name} -n ${releaseNamespace(release)}", and bring the release to a known state with helm`
  if (evidence?.state === 'running' && evidence.alone)
    return `run ${evidence.run} is gone, but its helm (process ${evidence.pid}) still works: kk deploy waits for it`
  if (evidence?.state === 'running')
    return `run ${evidence.run} is working on it: wait until that has ended, then run the same command again`
  if (evidence?.state === 'unknown') {
    const until = new Date(evidence.until).toISOString()
    return `it is held by ${evidence.holder}, whose processes cannot be seen from here: wait until it ends; after ${until} kk deploy recovers it automatically; if you know that it is dead: ${unlock}`
  }
  if (evidence?.state === 'stale') {
    const remedy =
      status === 'uninstalling'
        ? `kk remove ${name} finishes its removal, kk deploy brings it back`
        : 'kk deploy recovers it'
    return `run ${evidence.run}, ${evidence.why}, left it so: ${remedy}`
  }
  if (status === 'uninstalling')
    return `finish its removal with "kk remove ${name}"; or, if helm no longer works on it, bring it back: ${unlock}, then kk deploy`
  return `wait if helm may still work on it; otherwise: ${unlock}, then run the same command again`
}
