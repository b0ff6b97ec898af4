import {readdir, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {mergeValues} from '../../base/merge.ts'
import {isEmpty, isMap, type Values} from '../../base/values.ts'
import {defaultValues} from '../../charts/default-values.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import type {RenderedObject} from '../../kubernetes/manifest/manifest.ts'
import type {Templates} from './templates.ts'

const IMAGE_KEY = /^(?:images?|tags?|.*[iI]mage|.*[tT]ag)$/

/** Matches the revision in a template. Helm renders every chart without a cluster as the first revision. */
const REVISION = /\$?\.Release\.Revision\b/g

/**
 * Sets the next version and revision in a copy of a chart, so that everything its templates derive from them
 * changes.
 */
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

/** Returns the values of a release with other images than in the values or the defaults of the chart. */
export function withOtherImages(copy: string, values: Values): Values {
  return mergeValues(values, imagesIn(mergeValues(defaultValues(copy), values), false))
}

/** Matches template actions that depend on the version of the chart. */
const OF_VERSION = /\.Chart\.(?!Name\b)|\.Chart\b(?!\.)|Revision/

/**
 * Returns the objects of the next version with other images, if they can be derived without another render:
 * the templates read no version, and the values contain every image as one string. Returns undefined
 * otherwise.
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
  // The longest comes first, because one image may be a prefix of another.
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

/** Returns only the values below the key of an image, each changed. */
function imagesIn(values: Values, isBelow: boolean): Values {
  const entries = Object.entries(values).flatMap(([key, value]): (readonly [string, unknown])[] => {
    const isImage = isBelow || IMAGE_KEY.test(key)
    if (isMap(value)) {
      const inner = imagesIn(value, isImage)
      return isEmpty(inner) ? [] : [[key, inner]]
    }
    // A tag such as 8 is read as a number.
    if (typeof value === 'number' && /tag$/i.test(key)) return [[key, `${value}-next`]]
    // A changed digest would be invalid.
    const isText = typeof value === 'string' && value !== '' && !value.includes('@') && !/policy/i.test(key)
    return isImage && isText ? [[key, `${value}-next`]] : []
  })
  return Object.fromEntries(entries)
}
