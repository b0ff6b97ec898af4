import {Parser} from '@oclif/core'
import {expect, it} from 'vitest'
import {commandsOf, type FlagReference, flagWords} from '../../src/cli/reference.ts'
import {table} from '../../src/table.js'

const FLAGS = commandsOf(table).flatMap(({id, flags}) =>
  Object.values(flags).map((flag) => [`${id} --${flag.name}`, flag] as const),
)

/** The flags with a value of a name, by command, as a page shows them. */
function shown(name: string): readonly (readonly [string, FlagReference])[] {
  return FLAGS.filter(([, flag]) => flag.name === name && flag.type === 'option')
}

it.each([
  ['environment', '-e, --environment '],
  ['values', '-f, --values '],
  ['output', '-o, --output '],
  ['namespace', '-n, --namespace '],
])('--%s begins with %j wherever it takes a value', (name, words) => {
  const flags = shown(name)

  expect(flags.length).toBeGreaterThan(5)
  expect(flags.filter(([, flag]) => !flagWords(flag).startsWith(words)).map(([id]) => id)).toEqual([])
})

it('a flag is on all commands either a switch or takes a value', () => {
  const types = Map.groupBy(FLAGS, ([, {name}]) => name)
  const mixed = [...types].filter(([, flags]) => new Set(flags.map(([, {type}]) => type)).size > 1)

  expect(mixed.map(([name]) => name)).toEqual([])
})

it.each([
  ['namespace', /^(The namespace of the (releases\b.*|Job\.))$/],
  ['job-namespace', /^The namespace of the Job/],
  ['timeout', /^How long to wait for .+, such as 20m, 1h30m or 90s \(default: .+\)\.$/],
  ['owner', /^The name of the environment, instead of its file\.$/],
])('--%s has one meaning on all commands', (name, meaning) => {
  const summaries = shown(name).map(([id, {summary}]) => `${id} ${summary}`)

  expect(summaries.length).toBeGreaterThan(2)
  expect(summaries.filter((each) => !meaning.test(each.replace(/^\S+ --\S+ /, '')))).toEqual([])
})

it.each(commandsOf(table).map(({id, flags}) => [id, Object.values(flags)] as const))(
  'no two flags of %s share a letter',
  (_, flags) => {
    const letters = flags.flatMap(({char}) => char ?? [])

    expect(letters).toEqual([...new Set(letters)])
  },
)

it.each([
  ['plan', ['-f', 'nova=a.yaml', '-o', 'json'], {values: ['nova=a.yaml'], output: 'json'}],
  ['values:split', ['-e', 'env.yaml', '-o', 'values'], {environment: 'env.yaml', 'output-dir': 'values'}],
  ['secrets:list', ['-n', 'openstack'], {namespace: 'openstack'}],
  ['operator:install', ['-n', 'a', '-n', 'b'], {namespace: ['a', 'b']}],
])('kk %s reads %j', async (id, argv, expected) => {
  const command = (await table.loaders[id]!()).default as Parameters<typeof Parser.parse>[1] & object

  const {flags} = await Parser.parse(argv, command)

  expect(flags).toMatchObject(expected)
})
