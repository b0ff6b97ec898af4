import type {JsonSchema} from '../../src/base/validate.ts'
import {ENVIRONMENT_SCHEMA} from '../../src/environment/schema.ts'
import {definition, resolved} from '../docs/environment-tables.ts'
import * as roff from './roff.ts'

const EXAMPLE = `kk:
  name: lab
  namespace: openstack
  releases:
    nova: {timeout: 20m}
global: {region: RegionOne}
keystone: {pod: {replicas: {api: 3}}}
nova: {}`

/** The man page of the environment file: its keys, from its schema. */
export function environmentPage(of: roff.ManVersion): roff.ManPage {
  const {properties = {}, additionalProperties} = ENVIRONMENT_SCHEMA
  const summary = 'the file that says what a cloud is to be'
  return roff.manPage({...of, name: 'kk-environment', section: 5, summary}, [
    [
      'DESCRIPTION',
      `${roff.roffText('A YAML file. Each key at its top is a release that is wanted, with the values of its chart; kk adds what these require. kk schema environment prints the JSON Schema of the file.')}\n${keys({...properties, NAME: additionalProperties as JsonSchema})}`,
    ],
    ['KEYS OF KK', keys(properties['kk']!.properties!)],
    ['KEYS OF A RELEASE IN KK.RELEASES', keys(definition('release').properties!)],
    ['WHERE CHARTS COME FROM', forms(definition('chartSource'))],
    ['WHAT A RELEASE REQUIRES', forms(definition('requirement'))],
    ['EXAMPLES', roff.literal(EXAMPLE.split('\n'))],
    [
      'SEE ALSO',
      roff.seeAlso([
        ['kk', 1],
        ['kk-schema', 1],
        ['kk-init', 1],
      ]),
    ],
  ])
}

function keys(properties: Readonly<Record<string, JsonSchema>>): string {
  return roff.definitions(
    Object.entries(properties).map(([key, stated]) => {
      const schema = resolved(stated)
      return [`${roff.bold(key)} (${roff.roffText(schema.title ?? 'value')})`, meaning(schema)] as const
    }),
  )
}

/** The notations of one thing, each with its keys. */
function forms({anyOf = []}: JsonSchema): string {
  return anyOf
    .map((form) => {
      const term = roff.definitions([[roff.bold(form.title ?? ''), meaning(form)]])
      return form.properties ? `${term}\n.RS\n${keys(form.properties)}\n.RE` : term
    })
    .join('\n')
}

function meaning({description = '', enum: words, default: standard, examples = []}: JsonSchema): string {
  return [
    description,
    words && `One of ${words.join(', ')}.`,
    standard !== undefined && `Default: ${shown(standard)}.`,
    examples.length > 0 && `Example: ${examples.map(shown).join(', ')}`,
  ]
    .filter(Boolean)
    .join(' ')
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
