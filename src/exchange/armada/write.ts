import type {JsonSchema} from '../../environment/schema.ts'
import {suggest} from '../../environment/suggest.ts'
import {type Problem, validate} from '../../environment/validate.ts'
import {KkError} from '../../errors.ts'
import {blockYaml} from '../../overrides/overrides-yaml.ts'
import {isMap, type Values} from '../../release.ts'
import {
  type Exported,
  type ExportedChart,
  type ExportedFiles,
  type ExportedRelease,
  releasesOf,
  waves,
  yamlStream,
} from '../exported.ts'
import type {ChartOverrides} from '../helm/write.ts'

const ARMADA_CHART = 'armada/Chart/v1'
const ARMADA_GROUP = 'armada/ChartGroup/v1'
const ARMADA_MANIFEST = 'armada/Manifest/v1'
const ARMADA_METADATA = 'metadata/Document/v1'

/**
 * Returns override documents for `armada apply MANIFEST --values FILE`, one for each chart, as one stream. Such a document says
 * nothing but values; Armada lays it over the chart document of the same schema and name.
 */
export function armadaStream(charts: readonly ChartOverrides[]): string {
  return charts.map(armadaDocument).join('')
}

function armadaDocument(chart: ChartOverrides): string {
  const metadata = {schema: ARMADA_METADATA, name: armadaName(chart)}
  const header = `---\nschema: ${ARMADA_CHART}\n${blockYaml({metadata})}`
  return header + blockYaml({data: {values: chart.values}})
}

/** Returns the name of the document of a chart in a manifest: `openstack-rabbitmq`. */
function armadaName({name, namespace}: Pick<ChartOverrides, 'name' | 'namespace'>): string {
  return `${namespace}-${name}`
}

export interface ArmadaManifest {
  /** For messages. */
  readonly file: string
  readonly documents: readonly unknown[]
}

/**
 * Returns the documents of a manifest with overrides laid over its chart documents, as `armada apply --values` does it: they
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

/**
 * Returns an environment as a manifest of Armada: a group of charts for each wave. The charts lie beside it, unpacked, for
 * Armada takes no package from a directory.
 */
export function armadaManifest(exported: Exported): ExportedFiles {
  const groups = waves(exported).map((releases, wave) => {
    const data = {sequenced: false, chart_group: releases.map(armadaName)}
    return {schema: ARMADA_GROUP, metadata: metadataOf(`${exported.name}-${wave}`), data}
  })
  const data = {release_prefix: exported.name, chart_groups: groups.map(({metadata: {name}}) => name)}
  const charts = releasesOf(exported).map((release) => chartDocument(release, exported.name))
  for (const chart of charts) expectChart(chart, 'the export')
  const manifest = {schema: ARMADA_MANIFEST, metadata: metadataOf(exported.name), data}
  return new Map([['armada.yaml', yamlStream([...charts, ...groups, manifest])]])
}

function chartDocument(release: ExportedRelease, prefix: string): Values {
  const {name, namespace, chart, values, timeoutSeconds, hooksAfter} = release
  return {
    schema: ARMADA_CHART,
    metadata: metadataOf(armadaName(release)),
    data: {
      chart_name: chart.name,
      release: name,
      namespace,
      source: {type: 'local', location: '.', subpath: chartDirectory(chart)},
      dependencies: [],
      values,
      wait: {
        timeout: timeoutSeconds,
        labels: {release_group: `${prefix}-${name}`},
        // Helm's own wait would be for pods that wait for hooks.
        native: {enabled: !hooksAfter},
      },
      test: {enabled: false},
      upgrade: {no_hooks: false},
      ...(release.protected && {protected: {continue_processing: false}}),
    },
  }
}

/** The place of the unpacked chart of a release in the directory of the export. */
export function chartDirectory({name, version}: ExportedChart): string {
  return `charts/${name}-${version}`
}

function metadataOf(name: string): {readonly schema: string; readonly name: string} {
  return {schema: ARMADA_METADATA, name}
}

const LABELS: JsonSchema = {type: 'object', additionalProperties: {type: 'string'}}
const HOOKS: JsonSchema = {
  type: 'array',
  items: closed({name: {type: 'string'}, type: {type: 'string'}, labels: LABELS}, ['type']),
}
const WAIT_RESOURCE = closed(
  {type: {type: 'string'}, labels: LABELS, min_ready: {type: ['number', 'string']}},
  ['type'],
)

const DATA = closed(
  {
    namespace: {type: 'string'},
    chart_name: {type: 'string'},
    release: {type: 'string'},
    source: closed(
      {
        type: {type: 'string', enum: ['git', 'local', 'tar']},
        location: {type: 'string'},
        subpath: {type: 'string'},
        reference: {type: 'string'},
        proxy_server: {type: 'string'},
        auth_method: {type: 'string'},
      },
      ['type', 'location', 'subpath'],
    ),
    values: {type: 'object'},
    dependencies: {type: 'array', items: {type: 'string'}},
    protected: closed({continue_processing: {type: 'boolean'}}),
    test: {
      anyOf: [
        {type: 'boolean'},
        closed({
          enabled: {type: 'boolean'},
          timeout: {type: 'number'},
          options: closed({cleanup: {type: 'boolean'}}),
        }),
      ],
    },
    timeout: {type: 'number'},
    wait: closed({
      timeout: {type: 'number'},
      labels: LABELS,
      resources: {type: 'array', items: WAIT_RESOURCE},
      native: closed({enabled: {type: 'boolean'}}),
    }),
    delete: closed({timeout: {type: 'number'}}),
    install: {type: 'object'},
    upgrade: closed(
      {
        no_hooks: {type: 'boolean'},
        pre: closed({delete: HOOKS, update: HOOKS, create: HOOKS}),
        post: closed({create: HOOKS}),
        options: closed({force: {type: 'boolean'}}),
      },
      ['no_hooks'],
    ),
  },
  ['namespace', 'chart_name', 'release', 'source'],
)

/** A document `armada/Chart/v1` that is complete. Armada: schemas/armada-chart-schema-v1.yaml. */
const ARMADA_CHART_SCHEMA: JsonSchema = closed(
  {
    schema: {type: 'string', enum: ['armada/Chart/v1']},
    metadata: {
      type: 'object',
      properties: {schema: {type: 'string'}, name: {type: 'string'}},
      required: ['schema', 'name'],
    },
    data: DATA,
  },
  ['schema', 'metadata', 'data'],
)

function closed(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema {
  return {type: 'object', properties, required, additionalProperties: false}
}
