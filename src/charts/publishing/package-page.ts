import {underscored} from '../../base/underscored.ts'
import {isMap, type Values} from '../../base/values.ts'
import {dumpYaml} from '../../yaml/dump.ts'
import {readYaml} from '../../yaml/yaml.ts'
import type {Chart} from '../chart.ts'
import {readChartYaml} from '../chart-yaml.ts'
import {defaultValues} from '../default-values.ts'
import {keysOf} from '../parts-of.ts'
import {namedTemplates} from '../template-names.ts'

/** The information about a package for people and catalogues of charts. */
export interface PackagePage {
  /** `README.md` */
  readonly readme: string
  /** Annotations of `Chart.yaml` for Artifact Hub. */
  readonly annotations: Readonly<Record<string, string>>
}

/**
 * Returns the page of a package, from the facts of a chart of kk's dialect and the paths of the passwords and
 * keys without defaults. Throws `KK_CHART` and `KK_YAML`.
 */
export function packagePage(chart: Chart, secrets: readonly string[]): PackagePage {
  const values = defaultValues(chart.directory)
  const images = listImages(chart, values)
  return {
    readme: readme({chart, values, images, secrets}),
    annotations: images.length === 0 ? {} : {'artifacthub.io/images': dumpYaml(images)},
  }
}

interface ChartImage {
  /** The key below `images.tags`. */
  readonly name: string
  readonly image: string
}

/**
 * Returns the images of the components and of the pods' init containers, as the chart and the library name
 * them by default (`common.context.image`). A component whose image the deployer must name has none.
 */
function listImages(chart: Chart, values: Values): readonly ChartImage[] {
  const {images} = libraryDefaults(chart)
  if (!isMap(images)) return []
  const {registry, namespace, distro, type, tag, tags} = images
  const reference = (name: unknown) => {
    const whole = [distro, type, name].filter(Boolean).join('-')
    return `${[registry, namespace, whole].filter(Boolean).join('/')}:${String(tag)}`
  }
  const own = isMap(values.images) && isMap(values.images.tags) ? values.images.tags : {}
  const components = listComponents(values).flatMap(([name, component]) => {
    const built = component.image ?? values.image
    const service = String(built === values.image ? chart.name : built)
    const keys = [...keysOf(chart.name, name), underscored(service), service, 'default']
    const named = keys.map((key) => own[key]).find((each) => each !== undefined)
    if (named === undefined && !built) return []
    return [{name, image: named === undefined ? reference(built) : String(named)}]
  })
  const shared = Object.entries(isMap(tags) ? tags : {})
  return [...components, ...shared.map(([name, image]) => ({name, image: String(image)}))]
}

/** Returns the default values that the library of a chart of kk's dialect has, the weakest layer. */
export function libraryDefaults(chart: Chart): Values {
  const [defaults] = namedTemplates(chart, 'common.context.').filter(({name}) => name === 'defaults')
  const read = readYaml(defaults?.text.replaceAll(/\{\{[\s\S]*?\}\}/g, '') ?? '')
  return isMap(read) ? read : {}
}

function listComponents({components}: Values): readonly (readonly [string, Values])[] {
  return Object.entries(isMap(components) ? components : {}).filter((entry): entry is [string, Values] =>
    isMap(entry[1]),
  )
}

interface ReadmeOptions {
  readonly chart: Chart
  readonly values: Values
  readonly images: readonly ChartImage[]
  readonly secrets: readonly string[]
}

function readme({chart, values, images, secrets}: ReadmeOptions): string {
  const {name, appVersion, requires, directory} = chart
  const {description} = readChartYaml(directory)
  const needs = requires.map(({release, optional}) => (optional ? `${release} (where it is used)` : release))
  const parts = [
    `# ${name}`,
    [description, appVersion && `Version ${appVersion}.`].filter(Boolean).join('. '),
    '## Install',
    needs.length === 0
      ? 'It needs no other chart.'
      : `Install these charts first, each under its own name: ${needs.join(', ')}.`,
    `\`\`\`sh\nhelm install ${name} REPOSITORY/${name} --namespace openstack --values values.yaml\n\`\`\``,
    ...(secrets.length === 0
      ? []
      : [
          'Passwords and keys have no defaults. Pass the same values to all charts, for example in one values file:',
          secrets.map((place) => `- \`${place}\``).join('\n'),
        ]),
    '## Values',
    [row(['key', 'default', 'meaning']), row(['---', '---', '---']), ...valueRows(values, images)].join('\n'),
    `Other keys of \`values.schema.json\` are the same for all charts: \`images\`, \`pod\`, \`endpoints\`, \`storage\`, \`manifests\`. Each key may also be set below \`global\`.`,
  ]
  return `${parts.join('\n\n')}\n`
}

/** As the library has it (charts/common/templates/context/_status.tpl). */
const STATUS_RESOURCES = {requests: {cpu: '5m', memory: '32Mi'}}

function valueRows(values: Values, images: readonly ChartImage[]): readonly string[] {
  const components = listComponents(values)
  const sizes = components.flatMap(([, {storage}]) => (isMap(storage) && storage.size ? [storage.size] : []))
  const ports = Object.entries(isMap(values.serves) ? values.serves : {}).flatMap(([type, served]) =>
    leaves(isMap(served) ? (served.port as Values) : {}, `endpoints.${type}.port`),
  )
  return [
    ...components
      .filter(([, {kind}]) => kind !== 'DaemonSet')
      .map(([name]) => valueRow(`pod.replicas.${name}`, 1, `pods of ${name}`)),
    ...components.map(([name, {resources}]) =>
      valueRow(`pod.resources.${name}`, resources ?? {}, `requests and limits of ${name}`),
    ),
    ...(isMap(values.service_status)
      ? [
          valueRow(
            'pod.resources.status',
            values.service_status.resources ?? STATUS_RESOURCES,
            'requests and limits of status, which asks the service how it is',
          ),
        ]
      : []),
    ...images.map(({name, image}) => valueRow(`images.tags.${name}`, image, `the image of ${name}`)),
    ...(new Set(sizes).size === 1 ? [valueRow('storage.size', sizes[0], 'the size of a volume')] : []),
    ...ports.map(([key, port]) => valueRow(key, port, 'a port')),
    ...leaves(isMap(values.conf) ? values.conf : {}, 'conf').map(([key, value]) =>
      valueRow(key, value, 'an option of the configuration'),
    ),
  ]
}

/** Returns every value that is no map, by its path for `--set`. */
function leaves(values: Values, place: string): readonly (readonly [string, unknown])[] {
  return Object.entries(values ?? {}).flatMap(([key, value]) => {
    const path = `${place}.${key.replaceAll('.', '\\.')}`
    return isMap(value) ? leaves(value, path) : [[path, value] as const]
  })
}

function valueRow(key: string, value: unknown, meaning: string): string {
  const text = isPlainWord(value) ? value : JSON.stringify(value)
  return row([`\`${key}\``, `\`${text.replaceAll('|', '\\|')}\``, meaning])
}

/** Returns true for a string that YAML cannot misread, so that it needs no quotes. */
function isPlainWord(value: unknown): value is string {
  const words = /^(?:true|false|null|-?\d[\d.eE+-]*)$/
  return typeof value === 'string' && /^[^"[{\n][^\n]*$/.test(value) && !words.test(value)
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}
