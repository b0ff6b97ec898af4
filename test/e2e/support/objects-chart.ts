import {mkdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'

/** Writes a chart that renders the objects that its values name, and returns the directory of charts. */
export async function objectsChart(directory: string): Promise<string> {
  const chart = join(directory, 'charts', 'objects')
  await mkdir(join(chart, 'templates'), {recursive: true})
  await writeFile(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: objects\nversion: 0.1.0\n')
  const template = '{{- range .Values.objects }}\n---\n{{ toYaml . }}\n{{- end }}\n'
  await writeFile(join(chart, 'templates/objects.yaml'), template)
  return join(directory, 'charts')
}
