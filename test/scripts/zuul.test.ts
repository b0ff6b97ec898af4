import {accessSync, constants, readdirSync, readFileSync} from 'node:fs'
import {load} from 'js-yaml'
import {expect, it} from 'vitest'

interface Job {
  readonly name: string
  readonly run: string
  readonly vars: {readonly script: string}
}
type Pipeline = {readonly jobs: readonly string[]}
type Entry = {
  readonly job?: Job
  readonly project?: Readonly<Record<'check' | 'gate' | 'periodic', Pipeline>>
}

const entries = load(readFileSync('.zuul.yaml', 'utf8')) as readonly Entry[]
const jobs = entries.flatMap(({job}) => job ?? [])

const project = entries.find((entry) => entry.project)!.project!

it('check and gate run the tests and the node, each night the long ones', () => {
  const scripts = (pipeline: Pipeline) =>
    pipeline.jobs.map((name) => jobs.find((job) => job.name === name)?.vars.script)

  expect(scripts(project.check)).toEqual(['.ci/run', '.ci/aio'])
  expect(project.gate).toEqual(project.check)
  expect(scripts(project.periodic)).toEqual(['.ci/long'])
})

it.each(jobs)('$name runs a script that can be run', ({run, vars}) => {
  accessSync(vars.script, constants.X_OK)

  expect(load(readFileSync(run, 'utf8'))).toMatchObject([{hosts: 'all'}])
})

it('nothing of .ci/ is run by no job', () => {
  const scripts = readdirSync('.ci', {withFileTypes: true}).filter((entry) => entry.isFile())

  expect(scripts.map(({name}) => `.ci/${name}`).toSorted()).toEqual(
    jobs.map(({vars}) => vars.script).toSorted(),
  )
})
