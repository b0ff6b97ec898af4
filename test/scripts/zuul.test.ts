import {accessSync, constants, readFileSync} from 'node:fs'
import {load} from 'js-yaml'
import {expect, it} from 'vitest'

interface Job {
  readonly name: string
  readonly run: string
  readonly vars: {readonly script: string}
}
type Pipeline = {readonly jobs: readonly string[]}
type Entry = {readonly job?: Job; readonly project?: {readonly check: Pipeline; readonly gate: Pipeline}}

const entries = load(readFileSync('.zuul.yaml', 'utf8')) as readonly Entry[]
const jobs = entries.flatMap(({job}) => job ?? [])

it('check and gate run both scripts of .ci/, which can be run', () => {
  const project = entries.find((entry) => entry.project)!.project!

  expect(project.check.jobs).toEqual(jobs.map(({name}) => name))
  expect(project.gate.jobs).toEqual(project.check.jobs)
  expect(jobs.map(({vars}) => vars.script)).toEqual(['.ci/run', '.ci/aio'])
  for (const {run, vars} of jobs) {
    accessSync(vars.script, constants.X_OK)
    expect(load(readFileSync(run, 'utf8'))).toMatchObject([{hosts: 'all'}])
  }
})
