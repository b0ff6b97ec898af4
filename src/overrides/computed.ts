import {cp, mkdir, writeFile} from 'node:fs/promises'
import {join, relative, sep} from 'node:path'
import {KkError} from '../base/errors.ts'
import type {Values} from '../base/values.ts'
import type {Helm, ReleaseCall, TemplateOptions} from '../helm/helm.ts'
import {temporaryDirectory} from '../state/files/temporary-directory.ts'

/** The files of a chart and its subcharts from which Helm computes values. */
const PARTS = new Set(['Chart.yaml', 'Chart.lock', 'values.yaml', 'values.schema.json', 'charts'])
/** Base64, because Helm parses rendered templates as YAML, which excludes some characters. */
const TEMPLATE = 'values: {{ toJson .Values | b64enc }}\n'

/**
 * Returns the values as the chart's templates see them. Helm itself prints them, from a copy of the chart
 * with a single template, so defaults, subcharts, conditions, imported values, null and the schema are Helm's
 * own. Throws as `Helm.template` does, and `KK_FILE`.
 */
export async function computedValues(
  helm: Pick<Helm, 'template'>,
  call: ReleaseCall,
  options: Pick<TemplateOptions, 'kubeVersion' | 'apiVersions' | 'skipSchema'> = {},
): Promise<Values> {
  const directory = await temporaryDirectory('kk-values-')
  const probe = directory.path
  try {
    await directory.fill(() => writeProbe(call.chart, probe))
    return parse(
      await helm.template({...call, chart: probe}, {...options, showOnly: ['templates/values.yaml']}),
      call,
    )
  } finally {
    await directory.remove()
  }
}

async function writeProbe(chart: string, probe: string): Promise<void> {
  await copyWithoutTemplates(chart, probe)
  await mkdir(join(probe, 'templates'))
  await writeFile(join(probe, 'templates', 'values.yaml'), TEMPLATE)
}

async function copyWithoutTemplates(chart: string, probe: string): Promise<void> {
  await cp(chart, probe, {
    recursive: true,
    dereference: true,
    filter: (source) => isPart(relative(chart, source).split(sep)),
  })
}

/**
 * Path segments alternate between `charts` and names of subcharts: `charts/common/values.yaml`; a packed
 * subchart is kept as it is.
 */
function isPart(path: readonly string[]): boolean {
  const [first, , ...rest] = path
  if (first === '' || first === undefined) return true
  if (!PARTS.has(first)) return false
  return first !== 'charts' || path.length <= 2 || isPart(rest)
}

function parse(rendered: string, call: ReleaseCall): Values {
  const [, encoded] = /^values: (\S+)$/m.exec(rendered) ?? []
  if (encoded !== undefined) return JSON.parse(Buffer.from(encoded, 'base64').toString()) as Values
  throw new KkError('KK_HELM_FAILED', `${call.name}: helm did not print the values of the chart`, {
    hint: 'name another helm with --helm',
  })
}
