import {KkError} from '../base/errors.ts'
import type {HelmVersion} from '../helm/helm.ts'
import type {DryRuns, HelmWrites, Validation} from '../kubernetes/dry-run/dry-runs.ts'
import {expectWebhooksAnswer} from '../kubernetes/dry-run/unanswered-webhooks.ts'
import {definedKinds, isBuiltIn, mayDefineKinds} from '../kubernetes/inventory/custom-kinds.ts'
import type {KubernetesObject} from '../kubernetes/manifest/kubernetes-object.ts'
import {objectKey, objectName, parseManifest} from '../kubernetes/manifest/manifest.ts'
import {repeatedObjects} from '../kubernetes/manifest/repeated-objects.ts'
import {conflictPath} from '../plan/drift/conflict-path.ts'
import {withHelmMarks} from '../plan/leftovers/ownership.ts'
import type {Action} from '../plan/plan.ts'
import type {Redact} from '../redact/redact.ts'
import {type ReleaseId, releaseNamespace} from '../release.ts'
import type {CachedRenders} from './inference/cached-renders.ts'
import {helmActions, type Rendered} from './rendering/render.ts'
import {type Compared, type ExistingObject, expectUnclaimed} from './unclaimed.ts'

/** A plan, the revisions that each upgrade is compared with, and how helm will apply it. */
export interface Preflight extends Compared {
  readonly helm: {readonly version: Pick<HelmVersion, 'major'>}
  /** Take fields over from their current managers. */
  readonly forceConflicts: boolean
  /** Masks the secrets of the environment in messages of the API server. */
  readonly mask: Redact
  /**
   * Releases that were rendered before; if they are not rendered again, they define only the kinds in these
   * facts.
   */
  readonly cachedRenders?: CachedRenders | undefined
}

/**
 * Validates every object whose namespace and kind exist in a server-side dry run, as helm will apply it.
 * Resolves with the other objects, which are known after apply. Throws `KK_INVALID_OBJECT` with all objects
 * that are refused, or whose namespace or kind nothing creates, `KK_WEBHOOK`, and `KK_IN_THE_WAY` and
 * `KK_CONFLICT` with all that helm would refuse.
 */
export async function validateAll(
  rendered: Rendered,
  dryRuns: DryRuns,
  preflight: Preflight,
): Promise<Rendered> {
  const answers: Answer[] = []
  const repeated: string[] = []
  for (const [release, objects] of rendered) {
    const namespace = releaseNamespace(release)
    const writes = helmWrites(release, preflight)
    repeated.push(...refusedRepeats(release, objects, writes))
    const validations = await dryRuns.validate({
      namespace,
      objects: objects.map((object) => withHelmMarks(object, release)),
      writes,
      redact: preflight.mask,
    })
    answers.push(...objects.map((object, index) => ({release, object, validation: validations[index]!})))
  }
  expectUnclaimed(standingAmong(answers), {...preflight, rendered})
  const brought = broughtBy(rendered, preflight)
  const isLater = ({validation}: Answer) => isKnownAfterApply(validation, brought)
  const validated = answers.filter((answer) => !isLater(answer))
  expectAllAccepted(answers, repeated, brought)
  expectWebhooksAnswer(validated.map(({validation}) => validation))
  expectNoConflicts(answers, answers.some(isScaled) ? SCALED_HINT : undefined)
  const later = answers.filter(isLater)
  return new Map(
    [...rendered.keys()].map((release) => [
      release,
      later.filter((answer) => answer.release === release).map(({object}) => object),
    ]),
  )
}

/**
 * Returns true for an object that is validated later, before its release: it lacks a kind, or the plan adds a
 * webhook.
 */
function isKnownAfterApply(validation: Validation, {services}: Brought): boolean {
  if (validation.outcome === 'refused') return services.has(validation.webhook ?? '')
  return validation.outcome === 'known-after-apply'
}

/** The API server's answer on one object. */
interface Answer {
  readonly release: ReleaseId
  readonly object: KubernetesObject
  readonly validation: Validation
}

/**
 * Returns how helm will apply a release: Helm 4 keeps the last revision's method and compares with the
 * deployed one.
 */
function helmWrites(
  release: ReleaseId,
  {plan, previous, helm, forceConflicts: force}: Preflight,
): HelmWrites {
  const isNew = plan.actions.some((action) => action.release === release && action.kind === 'install')
  const stored = previous.get(release) ?? []
  const isServerSide = isNew ? helm.version.major === 4 : stored[0]?.applyMethod === 'ssa'
  return {
    method: isServerSide ? 'server-side' : 'client-side',
    force,
    before: parseManifest(stored.at(-1)?.manifest ?? ''),
  }
}

function standingAmong(answers: readonly Answer[]): readonly ExistingObject[] {
  return answers.flatMap(({release, object, validation}) =>
    validation.outcome === 'accepted' && validation.standing
      ? [{release, object, live: validation.standing}]
      : [],
  )
}

type DryRunRequest = Omit<Answer, 'object'>

/** Returns true if helm would have to take a field of the object from another manager. */
export function hasConflict({validation}: DryRunRequest): boolean {
  return validation.outcome === 'accepted' && (validation.conflicts ?? []).length > 0
}

const SCALED_HINT =
  'an autoscaler sets spec.replicas: have the chart omit it, for example with a value; --force-conflicts would set the value of the chart until the autoscaler scales it again'

/**
 * Returns true for an object whose replicas are set for a HorizontalPodAutoscaler by Kubernetes' controllers.
 */
function isScaled({validation}: DryRunRequest): boolean {
  if (validation.outcome !== 'accepted') return false
  return (validation.conflicts ?? []).some(
    ({field, manager}) => field === '.spec.replicas' && manager === 'kube-controller-manager',
  )
}

/**
 * The most fields of one manager in a release that are listed; of more, only the first and the count are
 * reported.
 */
const MAX_LISTED_FIELDS = 5

function conflictLines(answers: readonly DryRunRequest[]): readonly string[] {
  const conflicts = answers.flatMap(({release, validation}) =>
    validation.outcome === 'accepted'
      ? (validation.conflicts ?? []).map(({field, manager}) => {
          const {object} = validation
          return {release, object, manager, text: `${release}: ${object} ${conflictPath(field)}`}
        })
      : [],
  )
  return [...Map.groupBy(conflicts, ({release, manager}) => `${release} ${manager}`).values()].flatMap(
    (fields) => {
      const {manager, text} = fields[0]!
      if (fields.length <= MAX_LISTED_FIELDS)
        return fields.map((each) => `${each.text} is managed by ${manager}`)
      const objects = new Set(fields.map(({object}) => object)).size
      const where = objects === 1 ? '' : `, of ${objects} objects,`
      return [`${text} and ${fields.length - 1} more fields${where} are managed by ${manager}`]
    },
  )
}

/** Throws `KK_CONFLICT` if there are conflicts. */
export function expectNoConflicts(
  answers: readonly DryRunRequest[],
  hint = 'leave these fields out of the values, or take them over: run the same command with --force-conflicts',
): void {
  const lines = conflictLines(answers)
  if (lines.length === 0) return
  throw new KkError(
    'KK_CONFLICT',
    `other managers own fields that helm would set:\n  ${lines.join('\n  ')}`,
    {hint: `${hint}; nothing was changed`},
  )
}

/** The namespaces and kinds that a plan adds to the cluster. */
interface Brought {
  readonly namespaces: ReadonlySet<string>
  /** The Services, as `namespace/name`. */
  readonly services: ReadonlySet<string>
  /** The kinds, as `group/version/Kind`. */
  readonly kinds: ReadonlySet<string>
  /** Whether it may add kinds that none of its objects define. */
  readonly mayBringMore: boolean
}

/**
 * Returns the namespaces and kinds that a plan adds. An operator may define its kinds when it starts; for a
 * release that is only awaited, or was not rendered, that is unknown.
 */
function broughtBy(rendered: Rendered, {plan, cachedRenders = new Map()}: Preflight): Brought {
  const objects = [...rendered.values()].flat()
  const facts = [...cachedRenders.values()].map(({facts}) => facts.provided)
  const isUnseen = ({release, kind}: Action) =>
    kind === 'await' || !(rendered.has(release) || cachedRenders.has(release))
  const acting = [...helmActions(plan), ...plan.actions.filter(({kind}) => kind === 'await')]
  return {
    namespaces: new Set([
      ...plan.actions.filter(({kind}) => kind === 'install').map(({release}) => releaseNamespace(release)),
      ...[
        ...objects.map(({kind, metadata}) => ({kind, name: metadata.name})),
        ...facts.flatMap((each) => each.objects),
      ]
        .filter(({kind}) => kind === 'Namespace')
        .map(({name}) => name),
    ]),
    services: new Set(
      [...rendered].flatMap(([release, each]) =>
        each
          .filter(({kind}) => kind === 'Service')
          .map(({metadata}) => `${metadata.namespace ?? releaseNamespace(release)}/${metadata.name}`),
      ),
    ),
    kinds: new Set([
      ...definedKinds(objects),
      ...facts.flatMap(({kinds}) =>
        kinds.flatMap(({group, kind, versions}) => versions.map((version) => `${group}/${version}/${kind}`)),
      ),
    ]),
    mayBringMore: acting.some(isUnseen) || mayDefineKinds(objects),
  }
}

/**
 * Returns a line for each object that a chart renders more than once and helm would refuse: if the copies
 * differ, or helm creates it with client-side apply.
 */
function refusedRepeats(
  release: ReleaseId,
  objects: readonly KubernetesObject[],
  {method, before}: HelmWrites,
): readonly string[] {
  const namespace = releaseNamespace(release)
  const existingKeys = new Set(before.map((object) => objectKey(object, namespace)))
  return repeatedObjects(objects, namespace)
    .filter(
      ({object, isSame}) =>
        !isSame || (method === 'client-side' && !existingKeys.has(objectKey(object, namespace))),
    )
    .map(
      ({object, isSame}) =>
        `${release}: ${objectName(object)}: the chart renders it more than once${isSame ? '' : ', and not the same'}`,
    )
}

/**
 * Throws `KK_INVALID_OBJECT` with all refused objects; `repeated` has the lines for objects that were already
 * refused.
 */
function expectAllAccepted(answers: readonly Answer[], repeated: readonly string[], brought: Brought): void {
  const refused = answers.flatMap(({release, object, validation}) => {
    const why = whyRefused(object, validation, {release, brought})
    return why === undefined ? [] : [`${release}: ${validation.object}: ${why}`]
  })
  const refusals = [...repeated, ...refused]
  if (refusals.length === 0) return
  const terminating = [...new Set(refusals.flatMap((refusal) => terminatingNamespace(refusal) ?? []))]
  if (terminating.length > 0) {
    throw new KkError(
      'KK_INVALID_OBJECT',
      `being deleted, so that nothing can be created there: namespace ${terminating.join(', ')}`,
      {
        hint: 'wait until it is gone, then run the same command again; kk doctor shows what holds it; nothing was changed',
      },
    )
  }
  throw new KkError('KK_INVALID_OBJECT', `the cluster would not accept:\n  ${refusals.join('\n  ')}`, {
    hint: 'correct the values of these releases, or their charts; nothing was changed',
  })
}

function whyRefused(
  {apiVersion, kind, metadata}: KubernetesObject,
  validation: Validation,
  {release, brought}: {readonly release: ReleaseId; readonly brought: Brought},
): string | undefined {
  // A webhook that does not answer has a separate error.
  if (validation.outcome === 'refused')
    return validation.webhook === undefined ? validation.message : undefined
  if (validation.outcome === 'accepted') return undefined
  if (validation.missing === 'namespace') {
    const namespace = metadata.namespace ?? releaseNamespace(release)
    if (brought.namespaces.has(namespace)) return undefined
    return `there is no namespace ${namespace}, and nothing in the plan creates it`
  }
  if (brought.kinds.has(`${apiVersion}/${kind}`)) return undefined
  if (brought.mayBringMore && !isBuiltIn(apiVersion)) return undefined
  if (validation.missing === 'server') {
    const [group, version] = apiVersion.split('/')
    return `the API ${apiVersion} is registered, but its server does not answer: see APIService/${version}.${group}`
  }
  return `the cluster serves no kind ${kind} of ${apiVersion}, and nothing in the plan defines it`
}

/** Returns the terminating namespace in a refusal by the admission plugin NamespaceLifecycle. */
function terminatingNamespace(refusal: string): string | undefined {
  return /in namespace (\S+) because it is being terminated/.exec(refusal)?.[1]
}
