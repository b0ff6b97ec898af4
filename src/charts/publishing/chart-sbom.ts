import {isMap, type Values} from '../../base/values.ts'
import {readYaml} from '../../yaml/yaml.ts'
import {readPackageFiles} from '../files/package-files.ts'
import type {PackedChart} from './pack-chart.ts'

/** The media type of the document. */
export const SBOM_TYPE = 'application/vnd.cyclonedx+json'

/** A part of a chart in the format of CycloneDX. */
interface Component {
  readonly type: 'application' | 'container'
  readonly 'bom-ref': string
  readonly name: string
  readonly version?: string
  readonly [key: string]: unknown
}

/**
 * Returns the content of a package as a CycloneDX 1.6 document: the charts inside it, and the images in its
 * annotation `artifacthub.io/images`. It depends only on the package, so it is the same on every machine.
 * Rejects with `KK_CHART`.
 */
export async function chartSbom(packed: PackedChart): Promise<string> {
  const {name, version, digest, metadata} = packed
  const files = await readPackageFiles(packed.bytes, packed.file)
  const charts = files
    .filter(({path}) => /^(charts\/[^/]+\/)+Chart\.yaml$/.test(path))
    .map(({path, bytes}) => chartPart(path.replace(/\/Chart\.yaml$/, ''), readYaml(bytes.toString())))
  const components = [...charts, ...listImages(metadata).map(imagePart)]
  const root = `${name}-${version}`
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {component: {...chartPart(root, metadata), hashes: [{alg: 'SHA-256', content: digest}]}},
    components,
    dependencies: [{ref: root, dependsOn: components.map((each) => each['bom-ref'])}],
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

function chartPart(reference: string, metadata: unknown): Component {
  const {name, version, description, annotations} = isMap(metadata) ? metadata : {}
  const licence = isMap(annotations) ? annotations['artifacthub.io/license'] : undefined
  return {
    type: 'application',
    'bom-ref': reference,
    name: String(name ?? reference),
    ...(version !== undefined && {version: String(version)}),
    ...(description !== undefined && {description: String(description)}),
    ...(licence !== undefined && {licenses: [{expression: String(licence)}]}),
  }
}

/** Returns the images that a chart names, each once. */
function listImages({annotations}: Values): readonly string[] {
  const text = isMap(annotations) ? annotations['artifacthub.io/images'] : undefined
  const list = text === undefined ? [] : readYaml(String(text))
  const images = (Array.isArray(list) ? list : []).flatMap((each) =>
    isMap(each) && typeof each.image === 'string' ? [each.image] : [],
  )
  return [...new Set(images)].sort()
}

function imagePart(image: string): Component {
  const [, name = image, tag, digest] = /^(.+?)(?::([^:/@]+))?(?:@(sha256:[0-9a-f]+))?$/.exec(image) ?? []
  const version = tag ?? digest
  return {
    type: 'container',
    'bom-ref': image,
    name,
    ...(version !== undefined && {version}),
    ...(digest !== undefined && {hashes: [{alg: 'SHA-256', content: digest.slice('sha256:'.length)}]}),
  }
}
