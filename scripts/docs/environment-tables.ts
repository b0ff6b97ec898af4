import type {JsonSchema} from '../../src/base/validate.ts'
import {ENVIRONMENT_SCHEMA} from '../../src/environment/schema.ts'
import {markdownTable} from './marked.ts'

/** The parts of `docs/environment.md`. */
export function environmentTables(): Record<string, string> {
  const {properties = {}, additionalProperties} = ENVIRONMENT_SCHEMA
  const kk = properties['kk']!
  const release = definition('release')
  const [source, requirement] = [definition('chartSource'), definition('requirement')]
  return {
    'top-level': keys({...properties, '*NAME*': additionalProperties as JsonSchema}),
    kk: keys(kk.properties!),
    release: keys(release.properties!),
    'chart-source': alternatives(source),
    requirement: alternatives(requirement),
  }
}

/** One row per key. */
function keys(properties: Readonly<Record<string, JsonSchema>>): string {
  const rows = Object.entries(properties).map(([key, stated]) => {
    const schema = resolved(stated)
    return [key.startsWith('*') ? key : `\`${key}\``, schema.title ?? '', standard(schema), meaning(schema)]
  })
  return markdownTable(['key', 'value', 'default', 'meaning'], rows)
}

/** One list entry per notation of the same thing; a map's keys in a table below it. */
function alternatives({anyOf = []}: JsonSchema): string {
  return anyOf
    .map((form) => {
      const heading = `- **${form.title}**: ${meaning(form)}`
      return form.properties ? `${heading}\n\n${indented(keys(form.properties))}` : heading
    })
    .join('\n')
}

function meaning({description = '', examples = [], enum: words}: JsonSchema): string {
  const choices = words ? ` One of ${words.map((word) => `\`${word}\``).join(', ')}.` : ''
  const shown = examples.map((example) => `\`${flow(example)}\``).join(', ')
  return description + choices + (shown === '' ? '' : ` Example: ${shown}`)
}

function standard({default: value}: JsonSchema): string {
  return value === undefined ? '' : `\`${flow(value)}\``
}

/** YAML on one line. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([key, inner]) => `${key}: ${flow(inner)}`)
      .join(', ')}}`
  }
  // Unquoted, a number would not be the string of the schema.
  return typeof value === 'string' && /^[\d.]+$/.test(value) ? JSON.stringify(value) : String(value)
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '  ')
}

/** A schema with its references resolved. */
export function resolved({$ref, ...own}: JsonSchema): JsonSchema {
  return $ref === undefined ? own : {...definition($ref.replace('#/$defs/', '')), ...own}
}

export function definition(name: string): JsonSchema {
  return ENVIRONMENT_SCHEMA.$defs![name]!
}
