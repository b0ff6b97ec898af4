import type {OverrideService} from '../../overrides/service.ts'
import {chartPage, type Outcome} from './chart-page.ts'
import type {Draft} from './editor.ts'
import type {Place} from './place.ts'

/** The releases of a chart in a namespace; undefined where no environment tells which there are. */
export type ReleasesOf = (name: string, namespace: string) => readonly string[] | undefined

/** A chart whose page is asked for, and by whom. */
export interface ChartContext {
  readonly service: OverrideService
  readonly releasesOf: ReleasesOf
  readonly place: Place
  readonly showSecrets: boolean
  readonly mayWrite: boolean
}

interface ShownForm {
  readonly outcome: Outcome
  /** What was typed; undefined for what is stored. */
  readonly draft: Draft | undefined
}

/** The page of a chart. That something is masked is found out here; what it is does not leave. */
export async function showChart(context: ChartContext, {outcome, draft}: ShownForm): Promise<string> {
  const {service, place, showSecrets, mayWrite} = context
  const {name, namespace} = place
  const [shown, stored, keys] = await Promise.all([
    service.show(name, namespace, {showSecrets}),
    service.show(name, namespace, {showSecrets: true}),
    service.explain(name, namespace, {showSecrets}),
  ])
  const isWhole = stored.userOverrides === shown.userOverrides
  return chartPage({shown, keys, isWhole, showSecrets, mayWrite, draft, outcome})
}
