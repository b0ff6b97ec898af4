import {readdir, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {defaultValues} from '../../../charts/values-method/default-values.ts'
import type {KubernetesObject} from '../../../cluster/cluster.ts'
import type {RenderedObject} from '../../../cluster/manifest.ts'
import {isMap, mergeValues} from '../../../overrides/merge.ts'
import type {Values} from '../../../release.ts'
import type {Templates} from './templates.ts'

const IMAGE_KEY = /^(?:images?|tags?|.*[iI]mage|.*[tT]ag)$/

/** Of a template: helm renders every chart without a cluster as the first revision. */
const REVISION = /\$?\.Release\.Revision\b/g

/** Makes a copy of a chart its next version, and its next revision: what a template makes of them changes. */
export async function bumpVersion(copy: string): Promise<void> {
  for (const path of await readdir(copy, {recursive: true})) {
    if (!/templates\/.*\.(?:ya?ml|tpl)$/.test(path)) continue
    const template = join(copy, path)
    const text = await readFile(template, 'utf8')
    if (text.includes('.Release.Revision')) await writeFile(template, text.replace(REVISION, '2'))
  }
  const file = join(copy, 'Chart.yaml')
  const text = await readFile(file, 'utf8')
  const bumped = text
    .replace(/^(version:\s*["']?)v?\d[^\s"']*/m, '$19999.0.0')
    .replace(/^(appVersion:\s*)["']?[^\s"']+["']?/m, '$1"9999.0.0"')
  await writeFile(file, bumped)
}

/** The values of a release, with other images than those that they, or the defaults of the chart, say. */
export function withOtherImages(copy: string, values: Values): Values {
  return mergeValues(values, imagesIn(mergeValues(defaultValues(copy), values), false))
}

/** Of a template: what of a chart changes with its version. */
const OF_VERSION = /\.Chart\.(?!Name\b)|\.Chart\b(?!\.)|Revision/

/**
 * What was rendered, with other images and as the next version, where that is known without another render: the templates ask
 * for no version, and every image stands as a whole in the values. Undefined where it is not.
 */
export function nextObjects(
  copy: string,
  values: Values,
  {objects, templates}: {readonly objects: readonly RenderedObject[]; readonly templates: Templates},
): readonly RenderedObject[] | undefined {
  if (templates.reaching(OF_VERSION).size > 0) return undefined
  const images = [...textsIn(imagesIn(mergeValues(defaultValues(copy), values), false))].map((text) =>
    text.slice(0, -'-next'.length),
  )
  if (images.some((image) => !/^[\w.-]+(?::\d+)?\/[\w./-]+:[\w.-]+$/.test(image))) return undefined
  // The longest first: one may begin with another.
  const longest = images.toSorted((one, other) => other.length - one.length)
  const whole = longest.map((image) => image.replaceAll('.', '\\.'))
  if (whole.length === 0) return objects
  const pattern = new RegExp(`(?<![\\w./:-])(?:${whole.join('|')})(?![\\w./:-])`, 'g')
  return objects.map(({object, ...place}) => ({
    ...place,
    object: withTexts(object, pattern) as KubernetesObject,
  }))
}

function textsIn(values: Values): ReadonlySet<string> {
  const texts = Object.values(values).flatMap((value) =>
    isMap(value) ? [...textsIn(value)] : [String(value)],
  )
  return new Set(texts)
}

function withTexts(value: unknown, pattern: RegExp): unknown {
  if (typeof value === 'string') return value.replace(pattern, '$&-next')
  if (Array.isArray(value)) return value.map((each) => withTexts(each, pattern))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withTexts(inner, pattern)]))
}

/** Only the texts below a key that means an image, each another than it was. */
function imagesIn(values: Values, isBelow: boolean): Values {
  const entries = Object.entries(values).flatMap(([key, value]): (readonly [string, unknown])[] => {
    const isImage = isBelow || IMAGE_KEY.test(key)
    if (isMap(value)) {
      const inner = imagesIn(value, isImage)
      return Object.keys(inner).length === 0 ? [] : [[key, inner]]
    }
    // A tag such as 8 is read as a number.
    if (typeof value === 'number' && /tag$/i.test(key)) return [[key, `${value}-next`]]
    // A digest would not be one any more.
    const isText = typeof value === 'string' && value !== '' && !value.includes('@') && !/policy/i.test(key)
    return isImage && isText ? [[key, `${value}-next`]] : []
  })
  return Object.fromEntries(entries)
}
