import type {KkError} from '../../base/errors.ts'
import {type Change, presentReader} from '../../doctor/checks/change.ts'
import {CHECKS, checkBefore} from '../../doctor/checks/checks.ts'
import {sharedDeletions, sharedObjects} from '../../doctor/checks/claims.ts'
import type {Environment} from '../../environment/environment.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import {hookEvents} from '../../kubernetes/manifest/helm-view.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import type {Claim, LiveObjects, PresentObject} from '../../kubernetes/objects/live-objects.ts'
import {type Action, type Plan, withNotes} from '../../plan/plan.ts'
import type {ReleaseCleanup} from '../../plan/removal/cleanup.ts'
import {nameOf, type ReleaseRemoval, type RemainingObject} from '../../plan/removal/objects.ts'
import {hasDependents, mayHaveDependents, reservedBy} from '../../plan/removal/refusals.ts'
import {sectionIn} from '../../plan/shape.ts'
import {type Uses, usersOf} from '../../plan/uses/uses.ts'
import type {UsesReader} from '../../prepare/uses-reader.ts'
import {isNamed, type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import type {RunEvent} from '../../run/events.ts'
import {DEFAULT_TIMEOUT_SECONDS, type RemovalWork} from '../../run/task.ts'
import {type RunChoices, type RunPorts, startRun} from '../change/start-run.ts'
import {findCleanups} from './cleanups.ts'
import type {LeftoverClaim} from './leftover-claims.ts'
import {type FoundObjects, findObjects} from './removal-objects.ts'

/** The input of all removals. */
export interface RemovalContext {
  readonly environment: Environment
  readonly cluster: Cluster
  readonly readUses: UsesReader
  /** Records and reservations that the user allows to ignore, as `namespace/name`. */
  readonly ignored: ReadonlySet<string>
  /** Names after `--confirm`, including releases that may lose objects that a removed release also has. */
  readonly confirmed?: readonly string[]
}

/** A removal that is ready to run. */
export interface PlannedRemoval {
  readonly plan: Plan<'remove'>
  /** The removed and remaining objects of each release, in the order of the plan. */
  readonly releases: readonly ReleaseRemoval[]
  /** The data of the releases in other services, and whether it is removed. */
  readonly cleanups: readonly ReleaseCleanup[]
  /** Claims that stay unless the user confirms their deletion by name. */
  readonly claims: readonly Claim[]
  /** Those of these claims that an interrupted removal has left; their releases are gone. */
  readonly leftClaims: readonly LeftoverClaim[]
  /** Claims that are deleted with their release, which the user must confirm by name. */
  readonly goingClaims: readonly Claim[]
  /** Releases that stay and lose an object that a removed release also has; each was confirmed. */
  readonly losing: readonly ReleaseId[]
  /** Releases that were named and are not installed. */
  readonly absent: readonly string[]
  /** Whether an earlier removal may have been interrupted; a name without a release is then not a typo. */
  readonly isRepeated: boolean
  run(options: RemovalRun): AsyncIterable<RunEvent>
}

interface RemovalRun extends RunChoices {
  readonly ports: RunPorts
  /** Claims whose deletion is confirmed. */
  readonly claims: readonly Claim[]
  /** Called after each release with its remaining objects. */
  readonly onStays: (stays: ReleaseRemoval) => void
}

interface PlanOptions {
  /**
   * The uses that the plan is based on, and whether data in other services is removed; undefined to not
   * report it.
   */
  readonly purge?: {readonly uses: Uses; readonly isWanted: boolean}
  readonly leftovers?: readonly LeftoverClaim[]
  /** Releases that were named and are not installed. */
  readonly absent?: readonly string[]
  /** Whether some of the requested releases are not installed. */
  readonly isIncomplete?: boolean
}

/**
 * Finds the objects of the releases that a plan removes. Throws `KK_RECORD`, `KK_HAS_DEPENDENTS` for a
 * release that is required by one that is being installed, and the refusals of `CHECKS`.
 */
export async function plannedRemoval(
  context: RemovalContext,
  plan: Plan<'remove'>,
  {purge, absent = [], leftovers = [], isIncomplete = absent.length > 0}: PlanOptions = {},
): Promise<PlannedRemoval> {
  const {cluster} = context
  const objectsByRelease = new Map<ReleaseId, FoundObjects>()
  for (const {release} of plan.actions) {
    await expectNoReservation(context, plan, release)
    objectsByRelease.set(release, await findObjects(cluster, release))
  }
  const removal = removalChange(context, objectsByRelease)
  const losing = (await sharedObjects(removal)).flatMap(({keepers}) => keepers)
  const {confirmed = []} = context
  const isConfirmed = losing.every((release) => confirmed.some((name) => isNamed(release, name)))
  const checks = CHECKS.filter(({find}) => !(isConfirmed && find === sharedDeletions))
  const notes = await checkBefore(removal, checks)
  const releaseClaims = (release: ReleaseId) => objectsByRelease.get(release)!.claims
  const cleanups = purge
    ? await findCleanups(cluster, purge.uses, {
        environment: context.environment.name,
        releases: plan.actions.map(({release}) => release),
        isWanted: purge.isWanted,
        isBegun: (release) => objectsByRelease.get(release)!.isBegun,
      })
    : []
  return {
    plan: withNotes(plan, notes),
    losing,
    releases: plan.actions.map(({release}) => objectsByRelease.get(release)!.view),
    cleanups,
    claims: [...plan.actions.flatMap(({release}) => releaseClaims(release)), ...leftovers],
    leftClaims: leftovers,
    goingClaims: plan.actions.flatMap(({release}) => objectsByRelease.get(release)!.deletedClaims),
    absent,
    isRepeated: isIncomplete || [...objectsByRelease.values()].some(({isBegun}) => isBegun),
    run: ({ports, claims, onStays, ...choices}) =>
      startRun({
        ...choices,
        plan,
        ports,
        tasks: plan.actions.map((action) => ({
          kind: action.kind,
          action,
          work: removalWork(context, action, {
            foundObjects: objectsByRelease.get(action.release)!,
            cleanup: cleanups.find(({release, deleted}) => release === action.release && deleted.length > 0),
            claims: releaseClaims(action.release).filter((claim) => claims.includes(claim)),
            onStays,
          }),
        })),
      }),
  }
}

/** Returns what helm would delete, as input of the checks before the first change. */
function removalChange(
  {cluster}: RemovalContext,
  objectsByRelease: ReadonlyMap<ReleaseId, FoundObjects>,
): Change {
  const runs = (hooks: readonly KubernetesObject[]) =>
    hooks.filter((hook) => hookEvents(hook).some((event) => event.endsWith('-delete')))
  const all = [...objectsByRelease].filter(([, {objects}]) => objects.length > 0)
  return {
    changing: 'remove',
    cluster,
    next: new Map(),
    recorded: new Map(all.map(([release, {manifest, hooks}]) => [release, [...manifest, ...runs(hooks)]])),
    toDelete: new Map(all.map(([release, {objects}]) => [release, objects])),
    staying: async () => ({releases: [], unread: []}),
    present: presentReader(cluster, [...objectsByRelease.keys()]),
    given: [],
  }
}

interface WorkSources extends Pick<RemovalRun, 'claims' | 'onStays'> {
  readonly foundObjects: FoundObjects
  readonly cleanup: ReleaseCleanup | undefined
}

function removalWork(
  context: RemovalContext,
  action: Action,
  {foundObjects, cleanup, claims, onStays}: WorkSources,
): RemovalWork {
  const {environment, cluster, readUses, ignored} = context
  const {release} = action
  return {
    uid: foundObjects.uid,
    objects: foundObjects.objects,
    hooks: foundObjects.hooks,
    values: foundObjects.values,
    claims,
    ...(cleanup && {cleanup}),
    ignored,
    timeoutSeconds: environment.releases.get(releaseName(release))?.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS,
    refusal: async () => refusalNow(await readUses(), action, environment.name),
    onEnded: async (remaining) =>
      onStays(await remainingObjects(cluster.live, {foundObjects, remaining, claims})),
  }
}

/**
 * Returns the refusal of a removal if the release has dependents now. Other members of its group are ignored,
 * because they are removed at the same time.
 */
function refusalNow(uses: Uses, {release, group}: Action, environment: string): KkError | undefined {
  const releases = new Set([release])
  const users = usersOf(uses, new Set([release, ...group]))
  if (users.length > 0) return hasDependents({uses, releases, users, environment})
  return uses.unknown.length > 0 ? mayHaveDependents(releases, uses.unknown) : undefined
}

async function expectNoReservation({cluster, ignored}: RemovalContext, plan: Plan, release: ReleaseId) {
  const removing = new Set(plan.actions.map((action) => action.release))
  const reservations = await cluster.reservations.on(release)
  const blocking = reservations.filter(
    ({name, dependent}) => !removing.has(dependent) && !ignored.has(`kk-system/${name}`),
  )
  if (blocking.length > 0) throw reservedBy(release, blocking, Date.now())
}

interface EndedRemoval extends Pick<RemovalRun, 'claims'> {
  readonly foundObjects: FoundObjects
  readonly remaining: readonly PresentObject[]
}

async function remainingObjects(
  live: LiveObjects,
  {foundObjects, remaining, claims}: EndedRemoval,
): Promise<ReleaseRemoval> {
  const {release, stays} = foundObjects.view
  const namespace = releaseNamespace(release)
  const objects = foundObjects.stays.map(({object}) => object)
  const present = new Set((await live.present(namespace, objects)).map(({object}) => object))
  const isGivenUp = (stay: RemainingObject) =>
    stay.kind === 'PersistentVolumeClaim' &&
    claims.some(({name, namespace}) => name === stay.name && namespace === stay.namespace)
  const existingStays = foundObjects.stays
    .filter(({object}) => present.has(object))
    .map(({object, why}) => ({...nameOf(object, namespace), why}))
  const ofSets = stays.filter(({why}) => why === 'claim')
  return {
    release,
    deleted: remaining.map(({object, isGoing}) => ({
      ...nameOf(object, namespace),
      with: isGoing ? 'still being deleted' : 'still exists, though helm deleted it',
    })),
    stays: [...existingStays, ...ofSets].filter((stay) => !isGivenUp(stay)),
  }
}

/** Returns a predicate for releases that are protected on the cluster or in the file; the two may differ. */
export function isProtectedIn(
  uses: Uses,
  {releases}: Pick<Environment, 'releases'>,
): (release: ReleaseId) => boolean {
  return (release) =>
    uses.observed.get(release)?.protected === true ||
    releases.get(releaseName(sectionIn(uses, release) ?? release))?.protected === true
}
