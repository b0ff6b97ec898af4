import {appendFile, readFile} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {execa} from 'execa'
import {beforeAll, describe, expect, inject, it} from 'vitest'
import {readYaml} from '../../src/yaml/yaml.ts'
import {makeEnvironment, type TestEnvironment, workloads} from './support/environment.ts'
import {kkEnvironment} from './support/kk.ts'
import {revisions} from './support/records.ts'

interface Template {
  readonly name: string
  readonly dag?: {readonly tasks: readonly Task[]}
  readonly container?: {readonly command: readonly string[]; readonly args: readonly string[]}
}

interface Task {
  readonly name: string
  readonly depends?: string
  readonly arguments: {readonly parameters: readonly {readonly name: string; readonly value: string}[]}
}

interface WorkflowTemplate {
  readonly spec: {
    readonly arguments: {readonly parameters: readonly {readonly name: string; readonly value: string}[]}
    readonly templates: readonly Template[]
  }
}

describe('the tasks of an exported WorkflowTemplate', () => {
  let environment: TestEnvironment
  let exported: WorkflowTemplate
  beforeAll(async () => {
    environment = await makeEnvironment({
      content: workloads({
        db: {},
        api: {requires: ['db']},
        ping: {requires: ['pong:applied']},
        pong: {requires: ['ping:applied']},
      }),
    })
    const out = join(environment.directory, 'out')
    const {exitCode, stderr} = await environment.kk(
      'export',
      '--format',
      'argo-workflows',
      '--output-dir',
      out,
    )
    expect(exitCode, stderr).toBe(0)
    exported = readYaml(await readFile(join(out, 'workflow-template.yaml'), 'utf8')) as WorkflowTemplate
  })

  /** As Argo Workflows does it, but for the pod: the environment lies where the test has it. */
  async function runTask({arguments: {parameters}}: Task) {
    const {arguments: given, templates} = exported.spec
    const {command, args} = templates.find(({container}) => container)!.container!
    const values = new Map<string, string>([
      ...given.parameters.map(({name, value}) => [`workflow.parameters.${name}`, value] as const),
      ...parameters.map(({name, value}) => [`inputs.parameters.${name}`, value] as const),
    ])
    const [program = '', ...words] = [...command, ...args].map((word) =>
      word
        .replaceAll(/\{\{([\w.]+)\}\}/g, (_, name: string) => values.get(name)!)
        .replace(/^\/environment\//, `${environment.directory}/`),
    )
    const {PATH, ...env} = kkEnvironment()
    return execa(program, words, {
      env: {...env, PATH: `${dirname(inject('run').kk)}:${PATH}`, KK_HELM: environment.helm},
      extendEnv: false,
      reject: false,
    })
  }

  const tasks = () => exported.spec.templates.find(({dag}) => dag)!.dag!.tasks

  it('deploy the environment one after the other, and the members of a group together', async () => {
    const ended: string[] = []
    for (const task of tasks()) {
      const {exitCode, stderr} = await runTask(task)
      expect(exitCode, stderr).toBe(0)
      ended.push(task.name)
    }

    expect(ended).toEqual(['db', 'api', 'ping'])
    expect(await revisions(environment.name)).toEqual({api: 1, db: 1, ping: 1, pong: 1})
  })

  it('refuse a file that was changed after the export, and start no helm', async () => {
    const before = await environment.helmCalls()
    await appendFile(environment.file, '\n')

    const {exitCode, stdout, stderr} = await runTask(tasks()[1]!)

    expect(exitCode).not.toBe(0)
    expect(stdout + stderr).toContain('did NOT match')
    expect(await environment.helmCalls()).toEqual(before)
    expect(await revisions(environment.name)).toEqual({api: 1, db: 1, ping: 1, pong: 1})
  })
})
