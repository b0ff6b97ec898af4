import {mkdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {childEnvironment} from '../../../src/helm/child-environment.ts'
import {type HelmOutcome, runHelm} from '../../../src/helm/run.ts'

/** A chart without defaults whose only template prints its values. */
export async function writeProbeChart(directory: string): Promise<string> {
  const chart = join(directory, 'probe')
  await mkdir(join(chart, 'templates'), {recursive: true})
  await writeFile(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: probe\nversion: 0.1.0\n')
  await writeFile(join(chart, 'templates', 'values.yaml'), '{{ dict "values" .Values | toJson }}\n')
  return chart
}

interface Probe {
  readonly helm: string
  readonly chart: string
  readonly below?: object
  readonly flags: readonly string[]
}

/** Returns the values that a real helm computes from these flags; undefined if it refuses them. */
export async function valuesOfHelm(probe: Probe): Promise<unknown> {
  const outcome = await askHelm(probe)
  if (outcome.exitCode !== 0) return undefined
  const line = outcome.stdout.split('\n').find((text) => text.startsWith('{'))
  return (JSON.parse(line ?? '') as {values: unknown}).values
}

export function askHelm({helm, chart, below, flags}: Probe): Promise<HelmOutcome> {
  const document = below ? ['--values', '-'] : []
  return runHelm({
    path: helm,
    arguments: ['template', 'probe', chart, ...document, ...flags],
    env: childEnvironment(process.env),
    ...(below ? {input: JSON.stringify(below)} : {}),
  })
}
