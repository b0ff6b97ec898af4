import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {onTestFinished} from 'vitest'
import {testDirectory} from '../../support/test-directory.ts'
import type {useCharts} from './charts.ts'
import type {KubernetesObject, PodSpec} from './objects.ts'

export const statusOf = (objects: readonly KubernetesObject[]) =>
  objects.find(({metadata}) => metadata.labels?.['app.kubernetes.io/component'] === 'status')
export const specOf = (object: KubernetesObject | undefined) =>
  (object as unknown as {spec: {replicas: number; template: {spec: PodSpec}}}).spec
export const checksOf = (objects: readonly KubernetesObject[]): Checks => {
  const {env = []} = specOf(statusOf(objects)).template.spec.containers[0]!
  return JSON.parse(env.find(({name}) => name === 'CHECKS')!.value!)
}

type Checks = Readonly<Record<string, {least: Readonly<Record<string, number>>; down_after?: number}>>

interface Answer {
  readonly state: string
  readonly summary: string
  readonly findings: readonly string[]
}

/**
 * Runs the program of a chart with what it asks, a database or servers by variables; returns its reports in
 * turn.
 */
export async function runStatus(
  charts: Pick<Awaited<ReturnType<typeof useCharts>>, 'render'>,
  chart: string,
  {script, ...variables}: Readonly<Record<string, string>>,
) {
  const objects = await charts.render(chart)
  const {data} = objects.find(({metadata}) => metadata.name === `${chart}-bin`) as unknown as {
    data: Readonly<Record<string, string>>
  }
  const directory = testDirectory()
  const files = {...data, ...(script && {'own.py': script})}
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text)
  const checks = script ? {own: {script: 'own.py', least: {}}} : checksOf(objects)
  const env = {PATH: process.env['PATH'], HOME: directory, CHECKS: JSON.stringify(checks), ...variables}
  const program = join(directory, 'service-status.py')
  const child = execa('python3', [program], {env, extendEnv: false, reject: false})
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = child.iterable()[Symbol.asyncIterator]()
  const next = async (): Promise<Answer> => JSON.parse(String((await lines.next()).value))
  return {next, child, directory, mark: join(directory, 'healthy')}
}
