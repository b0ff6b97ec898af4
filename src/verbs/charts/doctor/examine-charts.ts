import type {RenderedObject} from '../../../charts/manifests/rendered-objects.ts'
import type {Cluster} from '../../../cluster/cluster.ts'
import {definedKinds} from '../../../cluster/custom-kinds.ts'
import {mapParallel} from '../../../cluster/parallel.ts'
import {asKkError, type KkError} from '../../../errors.ts'
import type {Helm} from '../../../helm/helm.ts'
import type {ReleaseId} from '../../../release.ts'
import type {Prepared} from '../../preparation/prepare.ts'
import {vendor} from '../../preparation/vendored.ts'
import type {ChartFault} from './chart-fault.ts'
import {claimedTwice} from './checks/claimed-twice.ts'
import {deadlocks} from './checks/deadlocks.ts'
import {immutableFields} from './checks/immutable-fields.ts'
import {jobNames} from './checks/job-names.ts'
import {randomValues} from './checks/random-values.ts'
import {unserved} from './checks/unserved.ts'
import {untouchedDefinitions} from './checks/untouched-definitions.ts'
import {valuesDiffer} from './checks/values-differ.ts'
import {examineRelease, type Renderers, renderNow} from './examine-release.ts'
import type {ExaminedRelease} from './examined-release.ts'
import {bumpVersion} from './next-version.ts'
import {placeOf} from './place.ts'

const RENDERERS = 4

const CHECKS = [deadlocks, randomValues, jobNames, immutableFields, untouchedDefinitions] as const

interface Examining {
  readonly helm: Pick<Helm, 'template'>
  /** With one, what is deployed there is compared with what would be. */
  readonly cluster?: Pick<Cluster, 'identity' | 'customKinds' | 'stored'> | undefined
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
    const {examined, faults} = await examineAll(releases, {now, next, place, helm})
    return [
      ...faults,
      ...unserved(prepared),
      ...examined.flatMap((each) => CHECKS.flatMap((check) => check(each))),
      ...claimedTwice(examined),
      ...valuesDiffer(prepared),
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

/** Charts that ask which kinds there are get those of the cluster, and those that any of these charts defines. */
async function examineAll(releases: readonly ReleaseId[], renderers: Renderers): Promise<Examined> {
  const {kinds} = renderers.place
  const first = await mapParallel(releases, RENDERERS, async (release) => ({
    release,
    objects: await renderNow(release, kinds, renderers).catch((error: unknown) => asKkError(error)),
  }))
  const broken = first.flatMap(({release, objects}) =>
    'code' in objects ? [brokenChart(release, objects)] : [],
  )
  const rendered = first.filter((each): each is Rendered => !('code' in each.objects))
  const defined = definedKinds(rendered.flatMap(({objects}) => objects.map(({object}) => object)))
  const known = [...new Set([...kinds, ...defined])].sort()
  const outcomes = await mapParallel(rendered, RENDERERS, ({release, objects}) =>
    examineRelease(release, objects, known, renderers).catch((error: unknown) =>
      brokenChart(release, asKkError(error)),
    ),
  )
  return {
    examined: outcomes.filter((each) => 'objects' in each),
    faults: [...broken, ...outcomes.filter((each): each is ChartFault => 'check' in each)],
  }
}

interface Rendered {
  readonly release: ReleaseId
  readonly objects: readonly RenderedObject[]
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
