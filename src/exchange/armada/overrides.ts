import {KkError} from '../../base/errors.ts'
import {suggest} from '../../base/suggest.ts'
import {isMap, type Values} from '../../base/values.ts'
import {blockYaml} from '../../overrides/overrides-yaml.ts'
import type {ChartOverrides} from '../helm/write.ts'
import {documentName, expectDocument} from './schema.ts'

const CHART = 'armada/Chart/v1'
const METADATA = 'metadata/Document/v1'

/**
 * Returns override documents for `armada apply MANIFEST --values FILE`, one per chart, as one YAML stream.
 * Such a document holds only values; Armada merges it over the chart document of the same schema and name.
 */
export function armadaStream(charts: readonly ChartOverrides[]): string {
  return charts.map(armadaDocument).join('')
}

function armadaDocument(chart: ChartOverrides): string {
  const metadata = {schema: METADATA, name: armadaName(chart)}
  const header = `---\nschema: ${CHART}\n${blockYaml({metadata})}`
  return header + blockYaml({data: {values: chart.values}})
}

/** Returns the name of the document of a chart in a manifest: `openstack-rabbitmq`. */
export function armadaName({name, namespace}: Pick<ChartOverrides, 'name' | 'namespace'>): string {
  return `${namespace}-${name}`
}

/** A manifest as read, or overrides for one. */
export interface ArmadaDocuments {
  /** For messages. */
  readonly file: string
  readonly documents: readonly unknown[]
}

/**
 * Returns the documents of a manifest with value overrides merged over its chart documents. Throws what
 * `mergeOverrides` throws.
 */
export function mergeArmada(manifest: ArmadaDocuments, charts: readonly ChartOverrides[]): Values[] {
  const documents = charts.map((chart) => ({
    schema: CHART,
    metadata: {name: armadaName(chart)},
    data: {values: chart.values},
  }))
  return mergeOverrides(manifest, documents)
}

/**
 * Returns the documents of a manifest with override documents merged over those of the same schema and name,
 * as `armada apply --values` does (Armada: handlers/override.py). Throws `KK_ARMADA` if an override matches
 * nothing (Armada ignores it) or if a document violates Armada's schema.
 */
export function mergeOverrides({file, documents}: ArmadaDocuments, overrides: readonly Values[]): Values[] {
  const unmatchedOverrides = new Set(overrides)
  const merged = documents
    .filter((document) => document !== null)
    .map((document, index) => {
      const at = `${file}, document ${index + 1}`
      if (!isMap(document))
        throw new KkError('KK_ARMADA', `${at}: expected a map`, {hint: 'correct the manifest'})
      const above = overrides.filter((each) => isSame(each, document))
      for (const each of above) unmatchedOverrides.delete(each)
      const data = above.reduce((below, each) => update(below, documentData(each)), documentData(document))
      const complete = above.length === 0 ? document : {...document, data}
      expectDocument(complete, `${at} (${documentName(document)})`)
      return complete
    })
  const [unmatched] = unmatchedOverrides
  if (unmatched !== undefined) throw unmatchedDocument(unmatched, {file, documents})
  return merged
}

function isSame(one: Values, other: Values): boolean {
  return one.schema === other.schema && documentName(one) === documentName(other)
}

function documentData({data}: Values): Values {
  return isMap(data) ? data : {}
}

/**
 * Armada: Override.update. Maps merge, a string over a list is split at its commas, everything else replaces.
 */
function update(below: Values, above: Values): Values {
  const result: Record<string, unknown> = {...below}
  for (const [key, value] of Object.entries(above)) {
    const lower = Object.hasOwn(below, key) ? below[key] : undefined
    if (isMap(value)) result[key] = update(isMap(lower) ? lower : {}, value)
    else if (typeof value === 'string' && Array.isArray(lower))
      result[key] = value.split(',').map((item) => item.trim())
    else result[key] = value
  }
  return result
}

function unmatchedDocument(override: Values, {file, documents}: ArmadaDocuments): KkError {
  const {schema} = override
  const name = documentName(override)
  const candidates = documents
    .filter(isMap)
    .filter((each) => each.schema === schema)
    .map(documentName)
  const close = suggest(name, candidates)
  return new KkError('KK_ARMADA', `${file} has no document ${schema} named ${name}`, {
    hint:
      close === undefined
        ? `it has: ${candidates.join(', ') || 'none'}`
        : `did you mean ${close}? rename the override`,
  })
}
