import {renderedObjects} from '../../../charts/manifests/rendered-objects.ts'
import {waiterOf} from '../../../charts/manifests/waiter-of.ts'
import {mapParallel} from '../../../cluster/parallel.ts'
import {asKkError, type KkError} from '../../../errors.ts'
import type {Helm, ReleaseCall} from '../../../helm/helm.ts'
import type {ReleaseId} from '../../../release.ts'
import {KUBE_VERSION} from '../../preparation/inference/facts-of-releases.ts'
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
import type {ExaminedRelease} from './examined-release.ts'
import {bumpVersion, withOtherImages} from './next-version.ts'

const RENDERERS = 4

const CHECKS = [deadlocks, randomValues, jobNames, immutableFields, untouchedDefinitions] as const

/**
 * What is wrong with the charts of an environment, said before anything is changed: each is rendered twice, and once as its
 * next version with other images. `prepared` was inferred tolerantly.
 */
export async function examineCharts(
  prepared: Prepared,
  helm: Pick<Helm, 'template'>,
): Promise<readonly ChartFault[]> {
  const releases = [...prepared.releases.keys()]
  const [now, next] = await Promise.all([vendor(prepared, releases), vendor(prepared, releases)])
  try {
    for (const copy of new Set(releases.map((release) => next.call(release).chart))) await bumpVersion(copy)
    const outcomes = await mapParallel(releases, RENDERERS, (release) =>
      examine({release, now: now.call(release), next: next.call(release)}, helm).catch((error: unknown) =>
        broken(release, asKkError(error)),
      ),
    )
    const examined = outcomes.filter((each) => 'objects' in each)
    return [
      ...outcomes.filter((each): each is ChartFault => 'check' in each),
      ...unserved(prepared),
      ...examined.flatMap((each) => CHECKS.flatMap((check) => check(each))),
      ...claimedTwice(examined),
      ...valuesDiffer(prepared),
    ]
  } finally {
    await Promise.all([now.remove(), next.remove()])
  }
}

interface Calls {
  readonly release: ReleaseId
  readonly now: ReleaseCall
  readonly next: ReleaseCall
}

async function examine({release, now, next}: Calls, helm: Pick<Helm, 'template'>): Promise<ExaminedRelease> {
  const render = async (call: ReleaseCall) =>
    renderedObjects(await helm.template(call, {kubeVersion: KUBE_VERSION})).filter(
      ({object}) => waiterOf(object) !== undefined,
    )
  const objects = await render(now)
  const again = await render(now)
  const values = withOtherImages(next.chart, next.values)
  // Other images may be refused by a schema: then nothing is known of the next version.
  const later = await render({...next, values}).catch(() => [])
  return {release, objects, again, next: later}
}

function broken(release: ReleaseId, {code, message, hint}: KkError): ChartFault {
  return {
    check: 'rendering',
    level: 'problem',
    release,
    what: `${message} (${code})`,
    ...(hint !== undefined && {advice: hint}),
  }
}
