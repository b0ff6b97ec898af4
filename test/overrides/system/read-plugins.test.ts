import {chmod, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {readPlugins} from '../../../src/overrides/system/read-plugins.ts'
import {testDirectory} from '../../support/test-directory.ts'

/** A directory of plugins; files that begin with #! are executable. */
async function directoryOf(files: Readonly<Record<string, string>>): Promise<string> {
  const directory = testDirectory()
  for (const [name, text] of Object.entries(files)) {
    const file = join(directory, name)
    await writeFile(file, text)
    if (text.startsWith('#!')) await chmod(file, 0o755)
  }
  return directory
}

const PROGRAM = `#!/usr/bin/env node
const request = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))
const answers = {
  describe: () => ({chart: 'mine', reads: ['controllers']}),
  overrides: () => ({values: {asked: request, secret: process.env.KK_SECRET ?? 'none'}}),
}
console.log(JSON.stringify(answers[request.call]()))
`

describe('a program as a plugin', () => {
  it('is called to describe itself, then for values, with the facts that it reads and no environment variables', async () => {
    process.env['KK_SECRET'] = 'hidden'
    const [plugin] = await readPlugins(await directoryOf({mine: PROGRAM}))

    const values = await plugin!.overrides({controllers: 3}, 'openstack')

    expect(plugin).toMatchObject({chart: 'mine', namespaces: ['openstack'], reads: ['controllers']})
    expect(values).toEqual({
      asked: {
        apiVersion: 'kk.openstack.org/plugin/v1',
        call: 'overrides',
        namespace: 'openstack',
        facts: {controllers: 3},
      },
      secret: 'none',
    })
  })

  it.each([
    ['exits with an error', '#!/bin/sh\necho "password: hunter2" >&2\nexit 3', 'failed: exit code 3'],
    ['prints no JSON', '#!/bin/sh\necho hello', 'answered with something that is not JSON'],
    ['names no chart', '#!/bin/sh\necho "{}"', 'answered wrongly: expected the key "chart"'],
    [
      'reads what is no fact',
      `#!/bin/sh\necho '{"chart":"x","reads":["controlers"]}'`,
      'reads.0: expected the name',
    ],
    [
      'is for what is no namespace',
      `#!/bin/sh\necho '{"chart":"x","namespaces":["Bad NS"]}'`,
      'answered wrongly: namespaces.0: expected the name of a namespace',
    ],
  ])('that %s is refused', async (_, text, message) => {
    const directory = await directoryOf({bad: text})

    const plugins = readPlugins(directory)

    await expect(plugins).rejects.toMatchObject({
      code: 'KK_PLUGIN',
      message: expect.stringContaining(`${directory}/bad ${message.startsWith('reads') ? '' : message}`),
    })
    await expect(plugins).rejects.toThrow(message)
    await expect(plugins).rejects.not.toMatchObject({log: [expect.stringContaining('hunter2')]})
  })
})

describe('the values that a program returns', () => {
  it.each([
    [
      'too deep',
      `${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`,
      'values.a.a.a.a.a.a.a: expected at most 64 nested maps and lists',
    ],
    ['no number of JSON', '{"pod":{"count":1e400}}', 'values.pod.count: expected a number that is finite'],
    [
      'a key of JavaScript',
      '{"a":[{"__proto__":{"b":1}}]}',
      'values.a.0.__proto__: the key __proto__ cannot be stored',
    ],
  ])('are refused if they contain %s', async (_, values, message) => {
    const directory = await directoryOf({
      bad: `#!/bin/sh\ngrep -q describe && echo '{"chart":"x"}' || echo '{"values":${values}}'`,
    })
    const [plugin] = await readPlugins(directory)

    const answer = plugin!.overrides({}, 'openstack')

    await expect(answer).rejects.toMatchObject({
      code: 'KK_PLUGIN',
      message: `the plugin ${directory}/bad answered wrongly: ${message}`,
    })
  })
})

describe('a directory of plugins', () => {
  it('contains programs, and ignored hidden files and documentation', async () => {
    const plugins = await readPlugins(
      await directoryOf({mine: PROGRAM, 'README.md': 'Ours.', '.swp': '', '.old.yaml': 'chart: old'}),
    )

    expect(plugins.map(({chart}) => chart)).toEqual(['mine'])
  })

  it('reports how to convert a rule file', async () => {
    const directory = await directoryOf({mine: PROGRAM, 'ruled.yaml': 'chart: ruled\nrules: []'})

    await expect(readPlugins(directory)).rejects.toMatchObject({
      code: 'KK_PLUGIN',
      message: `${directory}/ruled.yaml is a rule file: plugins are programs now, and kk reads no rules`,
      hint: expect.stringMatching(/"describe".*"overrides".*kk docs writing-a-plugin/),
    })
  })

  it.each([
    [{plain: 'echo'}, 'is not a program: expected a file that can be executed'],
    [{one: PROGRAM, two: PROGRAM}, 'are both for the chart mine'],
  ])('with %j is refused', async (files, message) => {
    const plugins = readPlugins(await directoryOf(files))

    await expect(plugins).rejects.toMatchObject({
      code: 'KK_PLUGIN',
      message: expect.stringContaining(message),
    })
  })

  it('that does not exist is refused', async () => {
    await expect(readPlugins('/nowhere/plugins')).rejects.toMatchObject({code: 'KK_FILE'})
  })
})
