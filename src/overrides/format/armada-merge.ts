import {suggest} from '../../environment/suggest.ts'
import {type Problem, validate} from '../../environment/validate.ts'
import {KkError} from '../../errors.ts'
import type {Values} from '../../release.ts'
import {isMap} from '../merge.ts'
import {ARMADA_CHART, armadaName, type ChartOverrides} from './armada.ts'
import {ARMADA_CHART_SCHEMA} from './armada-schema.ts'

export interface ArmadaManifest {
  /** For messages. */
  readonly file: string
  readonly documents: readonly unknown[]
}

/**
 * The documents of a manifest with overrides laid over its chart documents, as `armada apply --values` does it: they
 * match by name. Armada ignores overrides that match nothing; here they are `KK_ARMADA`, as is a chart document that
 * breaks Armada's schema.
 */
export function mergeArmada(manifest: ArmadaManifest, charts: readonly ChartOverrides[]): Values[] {
  const overrides = new Map(charts.map((chart) => [armadaName(chart), chart.values]))
  const merged = manifest.documents
    .filter((document) => document !== null)
    .map((document, index) => {
      const at = `${manifest.file}, document ${index + 1}`
      if (!isMap(document))
        throw new KkError('KK_ARMADA', `${at}: expected a map`, {hint: 'correct the manifest'})
      const name = chartName(document)
      if (name === undefined) return document
      const values = overrides.get(name) ?? {}
      overrides.delete(name)
      const complete = {...document, data: layOver(dataOf(document), {values})}
      expectChart(complete, `${at} (${name})`)
      return complete
    })
  const [unmatched] = overrides.keys()
  if (unmatched !== undefined) throw unmatchedChart(unmatched, manifest)
  return merged
}

function chartName(document: Values): string | undefined {
  if (document.schema !== ARMADA_CHART || !isMap(document.metadata)) return undefined
  return String(document.metadata.name)
}

function dataOf(document: Values): Values {
  return isMap(document.data) ? document.data : {}
}

/** Armada: handlers/override.py update. Maps merge, a text over a list is split at its commas, all else replaces. */
function layOver(below: Values, above: Values): Values {
  const result: Record<string, unknown> = {...below}
  for (const [key, value] of Object.entries(above)) {
    const lower = Object.hasOwn(below, key) ? below[key] : undefined
    if (isMap(value)) result[key] = layOver(isMap(lower) ? lower : {}, value)
    else if (typeof value === 'string' && Array.isArray(lower))
      result[key] = value.split(',').map((item) => item.trim())
    else result[key] = value
  }
  return result
}

function expectChart(document: Values, at: string): void {
  const [problem] = validate(ARMADA_CHART_SCHEMA, document)
  if (problem === undefined) return
  throw new KkError('KK_ARMADA', `${at}: ${problemText(problem)}`, {
    hint: `make it a complete document of the schema ${ARMADA_CHART}`,
  })
}

function problemText({path, expected, got}: Problem): string {
  const place = path.length === 0 ? '' : `${path.join('.')}: `
  return got === '' ? `${place}${expected}` : `${place}expected ${expected}, got ${got}`
}

function unmatchedChart(name: string, {file, documents}: ArmadaManifest): KkError {
  const known = documents.filter(isMap).flatMap((document) => chartName(document) ?? [])
  const close = suggest(name, known)
  return new KkError('KK_ARMADA', `${file} has no document ${ARMADA_CHART} named ${name}`, {
    hint:
      close === undefined ? `it has: ${known.join(', ') || 'none'}` : `is ${close} meant? name it ${name}`,
  })
}
