import {mkdir, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import type {Values} from '../../../src/base/values.ts'
import {testDirectory} from '../../support/test-directory.ts'
import type {Charts} from './charts.ts'
import {find} from './objects.ts'

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly labels: {readonly severity: string}
  readonly annotations: {readonly summary: string}
}
/** Runs the script that starts Prometheus and Alertmanager as their pods do; returns what it writes. */
export async function written(charts: Charts, values: Values = {}) {
  const objects = await charts.render('monitoring', {values})
  const directory = testDirectory()
  const files = {
    ...find(objects, 'ConfigMap', 'monitoring-etc').data,
    ...find(objects, 'ConfigMap', 'monitoring-bin').data,
  }
  const {stringData, data} = find(objects, 'Secret', 'monitoring-files') as {
    readonly data?: Readonly<Record<string, string>>
    readonly stringData?: Readonly<Record<string, string>>
  }
  const secret = stringData?.['delivery.json'] ?? Buffer.from(data!['delivery.json']!, 'base64').toString()
  for (const [name, text] of Object.entries({...files, 'delivery.json': secret}))
    await writeFile(join(directory, name), text)
  const out = join(directory, 'written')
  await mkdir(out)
  const env = {
    CONFIGURATION: directory,
    WRITTEN: out,
    ALERTMANAGER: 'monitoring-alertmanager',
    ONLY_WRITE: '1',
  }
  for (const program of ['prometheus', 'alertmanager'])
    await execa('python3', [join(directory, 'monitoring.py'), program], {env})
  const read = async (name: string) => JSON.parse(await readFile(join(out, name), 'utf8'))
  const file = join(directory, 'rules.json')
  return {
    file,
    rules: JSON.parse(await readFile(file, 'utf8')).groups.flatMap(
      (group: {readonly rules: readonly Rule[]}) => group.rules,
    ) as readonly Rule[],
    prometheus: await read('prometheus.json'),
    alertmanager: await read('alertmanager.json'),
  }
}
