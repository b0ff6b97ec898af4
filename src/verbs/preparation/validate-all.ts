import {isBuiltIn} from '../../cluster/built-in-kind.ts'
import type {Cluster, HelmWrites, KubernetesObject, Validation} from '../../cluster/cluster.ts'
import {definedKinds, mayDefineKinds} from '../../cluster/custom-kinds.ts'
import {parseManifest} from '../../cluster/manifest.ts'
import {KkError} from '../../errors.ts'
import type {HelmVersion} from '../../helm/helm.ts'
import {conflictPath} from '../../plan/drift/conflict-path.ts'
import {withHelmMarks} from '../../plan/leftovers/ownership.ts'
import type {Action} from '../../plan/plan.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'
import type {ForeknownReleases} from './inference/foreknown.ts'
import {helmActions, type Rendered} from './rendering/render.ts'
import {type Compared, expectUnclaimed, type StandingObject} from './unclaimed.ts'

/** What is planned, what each upgrade is compared with, and how helm will write it. */
export interface Preflight extends Compared {
  readonly helm: {readonly version: Pick<HelmVersion, 'major'>}
  /** Take fields from those who manage them now. */
  readonly forceConflicts: boolean
  /** Of releases that were rendered before; those that are not rendered again define no kinds but these. */
  readonly foreknown?: ForeknownReleases | undefined
}

/**
 * Asks the API server, in a dry run and as helm will write them, to accept every object whose namespace and kind exist.
 * Resolves with the others, which are known after apply. Throws `KK_INVALID_OBJECT` with all that it refuses, and all whose
 * namespace or kind nobody makes; `KK_IN_THE_WAY` and `KK_CONFLICT` with all that helm would refuse.
 */
export async function validateAll(
  rendered: Rendered,
  cluster: Pick<Cluster, 'validate'>,
  preflight: Preflight,
): Promise<Rendered> {
  const answers: Answer[] = []
  for (const [release, objects] of rendered) {
    const validations = await cluster.validate({
      namespace: releaseNamespace(release),
      objects: objects.map((object) => withHelmMarks(object, release)),
      writes: helmWrites(release, preflight),
    })
    answers.push(...objects.map((object, index) => ({release, object, validation: validations[index]!})))
  }
  expectUnclaimed(standingAmong(answers), {...preflight, rendered})
  expectAllAccepted(answers, broughtBy(rendered, preflight))
  expectNoConflicts(answers.flatMap(conflictTexts))
  const later = answers.filter(({validation}) => validation.outcome === 'known-after-apply')
  return new Map(
    [...rendered.keys()].map((release) => [
      release,
      later.filter((answer) => answer.release === release).map(({object}) => object),
    ]),
  )
}

/** What the API server says of one object. */
interface Answer {
  readonly release: ReleaseId
  readonly object: KubernetesObject
  readonly validation: Validation
}

/** Helm 4 goes on as the last revision was applied, and compares with the one that is deployed. */
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

function standingAmong(answers: readonly Answer[]): readonly StandingObject[] {
  return answers.flatMap(({release, object, validation}) =>
    validation.outcome === 'accepted' && validation.standing
      ? [{release, object, live: validation.standing}]
      : [],
  )
}

/** A line for each field of an object that helm would have to take from others. */
export function conflictTexts({release, validation}: Omit<Answer, 'object'>): readonly string[] {
  if (validation.outcome !== 'accepted') return []
  return (validation.conflicts ?? []).map(
    ({field, manager}) => `${release}: ${validation.object} ${conflictPath(field)} is managed by ${manager}`,
  )
}

/** Throws `KK_CONFLICT` unless there are none. */
export function expectNoConflicts(
  conflicts: readonly string[],
  hint = 'leave these fields out of the values, or take them over: run the same command with --force-conflicts',
): void {
  if (conflicts.length === 0) return
  throw new KkError(
    'KK_CONFLICT',
    `somebody else manages fields that helm would set:\n  ${conflicts.join('\n  ')}`,
    {hint: `${hint}; nothing was changed`},
  )
}

/** What a plan makes beside what is there. */
interface Brought {
  readonly namespaces: ReadonlySet<string>
  /** `group/version/Kind`. */
  readonly kinds: ReadonlySet<string>
  /** Also kinds that nothing of it defines. */
  readonly mayBringMore: boolean
}

/** An operator may define its kinds itself, when it runs: who may, and who is only awaited, is not judged by its manifest. */
function broughtBy(rendered: Rendered, {plan, foreknown = new Map()}: Preflight): Brought {
  const objects = [...rendered.values()].flat()
  const facts = [...foreknown.values()].map(({facts}) => facts.provided)
  const isUnseen = ({release, kind}: Action) =>
    kind === 'await' || !(rendered.has(release) || foreknown.has(release))
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
    kinds: new Set([
      ...definedKinds(objects),
      ...facts.flatMap(({kinds}) =>
        kinds.flatMap(({group, kind, versions}) => versions.map((version) => `${group}/${version}/${kind}`)),
      ),
    ]),
    mayBringMore: acting.some(isUnseen) || mayDefineKinds(objects),
  }
}

/** Throws `KK_INVALID_OBJECT`, naming all. */
function expectAllAccepted(answers: readonly Answer[], brought: Brought): void {
  const refusals = answers.flatMap(({release, object, validation}) => {
    const why = whyRefused(object, validation, {release, brought})
    return why === undefined ? [] : [`${release}: ${validation.object}: ${why}`]
  })
  if (refusals.length === 0) return
  const going = [...new Set(refusals.flatMap((refusal) => goingNamespace(refusal) ?? []))]
  if (going.length > 0) {
    throw new KkError(
      'KK_INVALID_OBJECT',
      `being deleted, so that nothing can be made there: namespace ${going.join(', ')}`,
      {
        hint: 'wait until it is gone, then run the same command again; kk doctor tells what holds it; nothing was changed',
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
  if (validation.outcome === 'refused') return validation.message
  if (validation.outcome === 'accepted') return undefined
  if (validation.missing === 'namespace') {
    const home = metadata.namespace ?? releaseNamespace(release)
    if (brought.namespaces.has(home)) return undefined
    return `there is no namespace ${home}, and nothing that is planned makes it`
  }
  if (brought.kinds.has(`${apiVersion}/${kind}`)) return undefined
  if (brought.mayBringMore && !isBuiltIn(apiVersion)) return undefined
  return `the cluster serves no kind ${kind} of ${apiVersion}, and nothing that is planned defines it`
}

/** As the API server's admission says it (NamespaceLifecycle). */
function goingNamespace(refusal: string): string | undefined {
  return /in namespace (\S+) because it is being terminated/.exec(refusal)?.[1]
}
