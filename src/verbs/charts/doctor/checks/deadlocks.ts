import {providedBy} from '../../../../charts/manifests/provided-by.ts'
import type {RenderedObject} from '../../../../charts/manifests/rendered-objects.ts'
import {hooksOf} from '../../../../charts/manifests/waiter-of.ts'
import {wantsOf} from '../../../../charts/manifests/wants-of.ts'
import {objectName} from '../../../../cluster/manifest.ts'
import {catalogue} from '../../../../graph/inference/catalogue.ts'
import type {Want} from '../../../../graph/inference/facts.ts'
import {releaseNamespace} from '../../../../release.ts'
import type {ChartFault} from '../chart-fault.ts'
import type {ExaminedRelease} from '../examined-release.ts'

/** When helm makes an object: before all others, with them, or after them; and among hooks by weight, then by name. */
interface Moment {
  readonly stage: 'before' | 'with' | 'after'
  readonly weight: number
  readonly name: string
}

/**
 * Hooks that wait for what their own release makes only when they have ended; and pods that wait for a hook which runs after
 * them, which is well as long as nobody waits for the pods first, as `helm --wait` does.
 */
export function deadlocks({release, objects}: ExaminedRelease): readonly ChartFault[] {
  const namespace = releaseNamespace(release)
  return objects.flatMap((waiting) => {
    const own = momentOf(waiting)
    return wantsOf([waiting], namespace)
      .filter(({kind}) => kind !== 'soft')
      .flatMap((want) => {
        const makers = makersOf(want, objects, release).map((each) => ({...each, at: momentOf(each)}))
        // Any of them may be what is waited for.
        if (makers.length === 0 || makers.some(({at}) => !isLater(at, own))) return []
        return [faultOf({release, waiting, own, want, maker: makers[0]!})]
      })
  })
}

function makersOf(
  {target}: Want,
  objects: readonly RenderedObject[],
  release: ExaminedRelease['release'],
): readonly RenderedObject[] {
  if (target.what === 'kind') return []
  return objects.filter((each) => {
    const provided = providedBy([each], releaseNamespace(release))
    const self = {release, shared: false, facts: {wants: [], provided}}
    return catalogue([self]).find(release, target).length > 0
  })
}

function momentOf({object}: RenderedObject): Moment {
  const hooks = hooksOf(object)
  const weight = Number(object.metadata.annotations?.['helm.sh/hook-weight'] ?? 0)
  return {stage: stageOf(hooks), weight, name: object.metadata.name}
}

/** What runs before upgrades only, finds what the revision before has made. */
function stageOf(hooks: readonly string[]): Moment['stage'] {
  if (hooks.length === 0) return 'with'
  return hooks.some((hook) => hook === 'pre-install' || hook === 'crd-install') ? 'before' : 'after'
}

const STAGES = ['before', 'with', 'after']

/**
 * Hooks of one stage are made one after the other, and each is waited for. Of one weight and name, a Job comes last
 * (Helm 4.2: hooks.go hookByWeight, stable after the order of kinds).
 */
function isLater(one: Moment, other: Moment): boolean {
  const stages = STAGES.indexOf(one.stage) - STAGES.indexOf(other.stage)
  if (stages !== 0 || one.stage === 'with') return stages > 0
  return one.weight === other.weight ? one.name > other.name : one.weight > other.weight
}

interface Deadlock {
  readonly release: ExaminedRelease['release']
  readonly waiting: RenderedObject
  readonly own: Moment
  readonly want: Want
  readonly maker: RenderedObject & {readonly at: Moment}
}

function faultOf({release, waiting, own, want, maker}: Deadlock): ChartFault {
  const object = objectName(waiting.object)
  const made = objectName(maker.object)
  const self = {check: 'deadlocks', release, object, file: waiting.file} as const
  if (own.stage === 'with')
    return {
      ...self,
      level: 'info',
      what: `${object} waits for the hook ${made} (${want.text}), which helm starts after it: well, but not with helm --wait`,
    }
  const advice =
    maker.at.stage === own.stage
      ? `give ${made} a lower helm.sh/hook-weight than ${object}`
      : `make ${made} a hook of the same stage with a lower weight, or ${object} a post-install hook`
  return {
    ...self,
    level: 'problem',
    what: `the hook ${object} waits for ${made} (${want.text}), which helm makes only after the hook has ended`,
    advice,
  }
}
