import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, it, vi} from 'vitest'
import type {checkDocument} from '../../src/report/charts/check-text.ts'
import {runCommand} from '../support/run-command.ts'
import {testDirectory} from '../support/test-directory.ts'
import {toolPath} from '../support/tools.ts'

let file: string
beforeEach(async () => {
  file = join(testDirectory(), 'cloud.yaml')
  vi.stubEnv('KK_HELM', await toolPath('helm4'))
  vi.stubEnv('XDG_STATE_HOME', testDirectory())
})
afterEach(() => {
  vi.unstubAllEnvs()
  process.exitCode = undefined
})

/** Runs `kk check` on a file with this text, and returns what it prints and its exit code. */
async function check(text: string) {
  await writeFile(file, text)
  const {document, stdout} = await runCommand('check', [file])
  const printed = stdout.replaceAll(file, 'cloud.yaml')
  return {document: document as ReturnType<typeof checkDocument>, printed, exitCode: process.exitCode}
}

it('kk check shows what it checked in each group, and what it did not', async () => {
  const {document, printed, exitCode} = await check(
    'memcached: {conf: {memcached: {max_connections: 8192}}}\n',
  )

  expect(printed).toMatch(/^✔ file +the environment "cloud" with 1 section$/m)
  expect(printed).toMatch(/^✔ values +the keys of 1 chart, 0 options of conf$/m)
  expect(printed).toMatch(/^ +not checked: options without a list: memcached: conf\.memcached$/m)
  expect(printed).toMatch(/^✔ charts +1 of 1 chart rendered, \d+ objects$/m)
  expect(printed).toMatch(/^· cluster +not checked: none was named/m)
  expect(printed.trimEnd()).toMatch(/no problem in what was checked$/)
  expect(document).toMatchObject({
    notChecked: ['cluster'],
    checked: {
      values: {options: 0, unlisted: ['memcached: conf.memcached']},
      charts: {releases: 1, rendered: 1},
    },
  })
  expect(exitCode).toBeUndefined()
})

it('kk check lists each problem of a file that is no environment, and checks nothing else', async () => {
  const {document, printed, exitCode} = await check('kk: {nam: x, infer: maybe}\nkeystone: {}\n')

  expect(document.findings.map(({group, what}) => `${group} ${what.replace(/^.*cloud\.yaml/, '')}`)).toEqual([
    expect.stringMatching(/^file :1:6: kk\.nam: .*\(KK_ENVIRONMENT\)$/),
    expect.stringMatching(/^file :1:14: kk\.infer: .*\(KK_ENVIRONMENT\)$/),
  ])
  expect(document).toMatchObject({
    checked: {},
    notChecked: ['file', 'values', 'references', 'charts', 'accounts', 'cluster'],
  })
  expect(printed).toMatch(/^✘ file +cannot be used as an environment$/m)
  expect(printed).toMatch(/^· charts +not checked: the file must be correct first$/m)
  expect(printed.trimEnd()).toMatch(/2 problems$/)
  expect(exitCode).toBe(1)
})

it('kk check reports a missing chart with what requires it, next to options that no service reads', async () => {
  const {document, printed} = await check(
    'kk: {releases: {memcached: {requires: [nothere]}}}\nkeystone: {conf: {keystone: {DEFAULT: {debugg: true}}}}\nmemcached: {}\n',
  )

  const problems = document.findings.filter(({level}) => level === 'problem')
  expect(problems.map(({group, check}) => `${group}: ${check}`)).toEqual([
    'references: requirements',
    'values: settings',
  ])
  expect(problems[0]!.what).toMatch(/\(KK_CHART_NOT_FOUND\); memcached requires it \(.*cloud\.yaml:1\)$/)
  expect(problems[1]!.what).toContain('did you mean "debug"?')
  // keystone does not render, and nothere has no chart: neither is called checked.
  expect(printed).toMatch(/^✘ charts +4 of 5 charts rendered/m)
})

it('kk check reports a cycle, and still checks the values', async () => {
  const {document, exitCode} = await check(
    'kk: {releases: {memcached: {requires: [rabbitmq]}, rabbitmq: {requires: [memcached]}}}\nmemcached: {}\nrabbitmq: {pod: {replicass: 1}}\n',
  )

  expect(document.findings).toMatchObject([
    {group: 'values', check: 'settings', what: expect.stringContaining('did you mean "replicas"?')},
    {group: 'references', check: 'requirements', what: expect.stringContaining('(KK_CYCLE)')},
  ])
  expect(document.notChecked).toEqual(['references', 'charts', 'accounts', 'cluster'])
  expect(exitCode).toBe(1)
})

it('kk check without helm still checks the values, and says that the charts are not checked', async () => {
  vi.stubEnv('KK_HELM', '/nonexistent/helm')

  const {document, printed, exitCode} = await check('memcached: {pod: {replicass: 1}}\n')

  expect(document.findings).toMatchObject([
    {group: 'values', what: expect.stringContaining('did you mean "replicas"?')},
    {group: 'charts', check: 'rendering', what: expect.stringMatching(/\(KK_HELM_\w+\)$/)},
  ])
  expect(printed).toMatch(/^✘ charts +not checked: solve the problems first$/m)
  expect(exitCode).toBe(1)
})
