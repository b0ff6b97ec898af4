import type {RenderedObject} from '../../../charts/manifests/rendered-objects.ts'
import type {Cluster} from '../../../cluster/cluster.ts'
import {definedKinds} from '../../../cluster/custom-kinds.ts'
import {mapParallel} from '../../../cluster/parallel.ts'
import {asKkError, type KkError} from '../../../errors.ts'
import type {ReleaseId} from '../../../release.ts'
import type {Prepared} from '../../preparation/prepare.ts'
import {renderByKinds} from '../../preparation/rendering/render-by-kinds.ts'
import type {Renderer} from '../../preparation/rendering/render-on-cluster.ts'
import {vendor} from '../../preparation/rendering/vendored.ts'
import type {ChartFault} from './chart-fault.ts'
import {accounts} from './checks/accounts/accounts.ts'
import {claimedTwice} from './checks/claimed-twice.ts'
import {deadlocks} from './checks/deadlocks/deadlocks.ts'
import {immutableFields} from './checks/immutable-fields/immutable-fields.ts'
import {jobNames} from './checks/job-names.ts'
import {missingKinds} from './checks/missing-kinds.ts'
import {randomValues} from './checks/random-values.ts'
import {refusedChanges} from './checks/refused-changes.ts'
import {unreadOverrides} from './checks/unread-overrides.ts'
import {unserved} from './checks/unserved.ts'
import {untouchedDefinitions} from './checks/untouched-definitions.ts'
import {valuesDiffer} from './checks/values-differ.ts'
import {examineRelease, type Renderers, renderNow} from './examine-release.ts'
import type {ExaminedRelease} from './examined-release.ts'
import {bumpVersion} from './next-version.ts'
import {placeOf} from './place.ts'
import {withRefusals} from './refusals.ts'

const RENDERERS = 4

const CHECKS = [randomValues, jobNames, immutableFields, refusedChanges, untouchedDefinitions] as const

interface Examining {
  readonly helm: Renderer
  /** With one, what is deployed there is compared with what would be. */
  readonly cluster?: Pick<Cluster, 'identity' | 'customKinds' | 'stored' | 'validate'> | undefined
}

/**
 * What is wrong with the charts of an environment, said before anything is changed: each is rendered twice, and once as its
 * next version with other images. `prepared` was inferred tolerantly.
 */
export async function examineCharts(
  prepared: Prepared,
  {helm, cluster}: Examining,
): Promise<readonly ChartFault[]> {
  const releases = [...prepared.releases.keys()]
  const place = await placeOf(releases, cluster)
  const [now, next] = await Promise.all([vendor(prepared, releases), vendor(prepared, releases)])
  try {
    for (const copy of new Set(releases.map((release) => next.call(release).chart))) await bumpVersion(copy)
    const {examined: rendered, faults} = await examineAll(releases, {now, next, place, helm})
    const valuesOf = (release: ReleaseId) => now.call(release).values
    const examined = await withRefusals(rendered, {cluster, valuesOf})
    return [
      ...faults,
      ...unserved(prepared),
      ...examined.flatMap((each) => CHECKS.flatMap((check) => check(each))),
      ...examined.flatMap((each) => missingKinds(each, place.kinds)),
      ...deadlocks(examined),
      ...claimedTwice(examined),
      ...accounts(examined),
      ...valuesDiffer(prepared),
      ...unreadOverrides(prepared),
    ]
  } finally {
    await Promise.all([now.remove(), next.remove()])
  }
}

interface Examined {
  readonly examined: readonly ExaminedRelease[]
  /** Of what does not render. */
  readonly faults: readonly ChartFault[]
}

/** What a chart renders, or why it does not. */
type Outcome = readonly RenderedObject[] | KkError

/** Charts that ask which kinds there are get those of the cluster, and those that any of these charts defines. */
async function examineAll(releases: readonly ReleaseId[], renderers: Renderers): Promise<Examined> {
  const {now, place} = renderers
  const knowing = (defined: readonly string[]) => [...new Set([...place.kinds, ...defined])].sort()
  const outcomes = await renderByKinds<ReleaseId, Outcome>(releases, {
    asks: now.asksKinds,
    definedBy: kindsDefinedBy,
    render: async (some, defined = []) =>
      new Map(
        await mapParallel(some, RENDERERS, async (release) => {
          const outcome = renderNow(release, knowing(defined), renderers)
          return [release, await outcome.catch((error: unknown) => asKkError(error))] as const
        }),
      ),
  })
  const kinds = knowing(kindsDefinedBy([...outcomes.values()]))
  const examined = await mapParallel(releases, RENDERERS, async (release) => {
    const outcome = outcomes.get(release)!
    if ('code' in outcome) return brokenChart(release, outcome)
    return examineRelease(release, outcome, kinds, renderers).catch((error: unknown) =>
      brokenChart(release, asKkError(error)),
    )
  })
  return {
    examined: examined.filter((each) => 'objects' in each),
    faults: examined.filter((each) => 'check' in each),
  }
}

function kindsDefinedBy(outcomes: readonly Outcome[]): readonly string[] {
  return definedKinds(outcomes.flatMap((each) => ('code' in each ? [] : each.map(({object}) => object))))
}

function brokenChart(release: ReleaseId, {code, message, hint}: KkError): ChartFault {
  return {
    check: 'rendering',
    level: 'problem',
    release,
    what: `${message} (${code})`,
    ...(hint !== undefined && {advice: hint}),
  }
}
