import {accessSync, constants, readdirSync, readFileSync} from 'node:fs'
import {load} from 'js-yaml'
import {expect, it} from 'vitest'

interface Job {
  readonly name: string
  readonly parent?: string
  readonly run?: string
  readonly vars: {readonly script?: string; readonly shard?: string}
}
/** A job by its name, or with what is said of it in a pipeline. */
type Run = string | Readonly<Record<string, {readonly dependencies: readonly string[]}>>
type Pipeline = {readonly jobs: readonly Run[]}
type Entry = {
  readonly job?: Job
  readonly project?: Readonly<Record<'check' | 'gate' | 'periodic' | 'release', Pipeline>>
}

const entries = load(readFileSync('.zuul.yaml', 'utf8')) as readonly Entry[]
const jobs = entries.flatMap(({job}) => job ?? [])

const project = entries.find((entry) => entry.project)!.project!

function nameOf(run: Run): string {
  return typeof run === 'string' ? run : Object.keys(run)[0]!
}

/** The command of a job, with what it has of its parent. */
function command(name: string): string {
  const {parent, vars} = jobs.find((job) => job.name === name)!
  const script = vars.script ?? command(parent!)
  return vars.shard === undefined ? script : `${script} ${vars.shard}`
}

it('check and gate run the tests and the node for both OpenStack releases, each night the long tests and all shards, and a release its charts and packages', () => {
  const commands = (pipeline: Pipeline) => pipeline.jobs.map((run) => command(nameOf(run)))

  expect(commands(project.check)).toEqual([
    '.ci/check',
    '.ci/run',
    '.ci/aio',
    '.ci/aio-slurp',
    '.ci/chart-versions',
  ])
  expect(project.gate).toEqual(project.check)
  expect(commands(project.release)).toEqual(['.ci/publish-charts', '.ci/package'])
  expect(commands(project.periodic)).toEqual([
    '.ci/long',
    '.ci/aio-night',
    ...['.ci/aio-nodes 1/2', '.ci/aio-nodes 2/2'],
    ...Array.from({length: 8}, (_, index) => `.ci/aio-tempest ${index + 1}/8`),
    ...Array.from({length: 4}, (_, index) => `.ci/aio-catalogue ${index + 1}/4`),
  ])
})

it('the jobs with a cluster start after format, types and unit tests have passed', () => {
  const waiting = project.check.jobs.filter((run) => typeof run !== 'string')

  expect(waiting).toEqual(
    ['kk-test', 'kk-aio', 'kk-aio-slurp'].map((name) => ({[name]: {dependencies: ['kk-check']}})),
  )
  expect(readFileSync('.ci/check', 'utf8')).toContain('npm run check')
})

it.each(jobs.filter(({run}) => run !== undefined))('$name runs an executable script', ({run, vars}) => {
  accessSync(vars.script!, constants.X_OK)

  expect(load(readFileSync(run!, 'utf8'))).toMatchObject([{hosts: 'all'}])
})

it('every script in .ci/ is run by a job', () => {
  const scripts = readdirSync('.ci', {withFileTypes: true}).filter((entry) => entry.isFile())

  expect(scripts.map(({name}) => `.ci/${name}`).toSorted()).toEqual(
    jobs.flatMap(({vars}) => vars.script ?? []).toSorted(),
  )
})
