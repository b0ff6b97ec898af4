import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {namedTemplates} from '../../src/charts/template-names.ts'
import {readYaml} from '../../src/yaml/yaml.ts'
import {catalogueBody} from '../charts/catalogue.ts'
import {CHECK, COMPONENT, FACTS, FILE, JOB, PROBE, REFERENCES, UNIT, VOLUME} from '../charts/facts.ts'
import {meaningOf, type Schema} from '../charts/json-schema.ts'
import {parametersOf} from '../charts/names.ts'
import {readOwnCharts} from '../charts/read-charts.ts'
import {CLASSES, PROMETHEUS_OPERATOR, SERVES} from '../charts/schema.ts'
import {markdownTable} from './marked.ts'

const CHARTS = join(import.meta.dirname, '../../charts')
const COMMON = join(CHARTS, 'common')
const LIBRARY = {name: 'common', directory: COMMON, libraries: []}

/**
 * Returns the parts of `docs/charts.md`: every key of the facts, every block, and the catalogue of endpoints.
 */
export function chartTables(): Record<string, string> {
  return {
    facts: keys({...FACTS, serves: SERVES, classes: CLASSES, prometheus_operator: PROMETHEUS_OPERATOR}),
    'unit-keys': keys(UNIT),
    'component-keys': keys(COMPONENT),
    'job-keys': keys(JOB),
    'file-keys': keys(FILE),
    references: keys(REFERENCES),
    'probe-keys': keys(PROBE),
    'check-keys': keys(CHECK),
    'volume-keys': keys(VOLUME),
    blocks: blocks(),
    'endpoint-templates': endpointTemplates(),
    endpoints: endpoints(),
  }
}

/** Returns a table with a row per key. Throws for a key without a meaning. */
function keys(schemas: Readonly<Record<string, Schema>>): string {
  const rows = Object.entries(schemas).map(([key, schema]) => {
    const words = meaningOf(schema)
    if (words === undefined) throw new Error(`scripts/charts/facts.ts says no meaning of the key ${key}`)
    return [`\`${key}\``, valueText(schema), words]
  })
  return markdownTable(['key', 'value', 'meaning'], rows)
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  boolean: '`true`, `false`',
  integer: 'number',
  array: 'list',
  object: 'map',
}

function valueText({type, enum: words, $ref}: Schema): string {
  if (Array.isArray(words)) return words.map((word) => `\`${word}\``).join(', ')
  if ($ref !== undefined) return 'map'
  const types = [type].flat().filter((each) => each !== undefined && each !== 'null')
  return types.length === 0 ? 'anything' : types.map((each) => TYPES[String(each)]!).join(' or ')
}

/** Returns the table of the library's blocks, from the comments in their files. */
function blocks(): string {
  const named = namedTemplates(LIBRARY, 'common.config.block.')
  const rows = named.map((block) => {
    // A block that uses another waits for the same.
    const [, other] = /include "common\.config\.block\.(\w+)"/.exec(block.text) ?? []
    const [, needs = ''] =
      /^needs: \[(.*)\]$/m.exec((named.find(({name}) => name === other) ?? block).text) ?? []
    return [
      `\`${block.name}\``,
      parametersOf(block).map(code).join(', '),
      needs.split(', ').filter(Boolean).map(code).join(', '),
      block.comment.replace(/:? \.params \{[^}]*\}/, '').replaceAll(/\s+/g, ' '),
    ]
  })
  return markdownTable(['block', 'parameters', 'pods wait for', 'options'], rows)
}

/** The templates from which the others are built. */
const INNER = ['entry', 'login', 'transport', 'value']

/**
 * Returns the table of the templates that return properties of an endpoint, from the comments in their files.
 */
function endpointTemplates(): string {
  const rows = namedTemplates(LIBRARY, 'common.endpoints.')
    .filter(({name}) => !INNER.includes(name))
    .map(({name, comment}) => [code(`common.endpoints.${name}`), comment.replaceAll(/\s+/g, ' ')])
  return markdownTable(['template', 'returns'], rows)
}

interface Endpoint {
  readonly port?: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly path?: Readonly<Record<string, string>>
}

/** Returns the table of the endpoints in the catalogue, with the charts that serve them. */
function endpoints(): string {
  const {cluster_domain_suffix: _, ...entries} = readYaml(
    catalogueBody(readFileSync(join(COMMON, 'templates/context/_catalogue.tpl'), 'utf8')),
  ) as Readonly<Record<string, Endpoint>>
  const charts = readOwnCharts(CHARTS)
  const rows = Object.entries(entries).map(([type, {port = {}, path}]) => {
    const serves = ({values}: (typeof charts)[number]) =>
      Object.values(values.components ?? {}).some((component) => component?.['endpoint'] === type)
    const ports = Object.entries(port).map(([name, numbers]) => `\`${name}\` ${numbers['default']}`)
    return [
      code(type),
      charts.find(serves)!.name,
      ports.join(', '),
      path?.['default'] ? code(path['default']) : '',
    ]
  })
  return markdownTable(['endpoint', 'chart', 'ports', 'path'], rows)
}

function code(word: string): string {
  return `\`${word}\``
}
