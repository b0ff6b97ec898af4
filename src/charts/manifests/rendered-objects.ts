import type {KubernetesObject} from '../../cluster/cluster.ts'
import {parseFile, parseManifest} from '../../cluster/manifest.ts'

/** An object and the file of the chart that it was rendered from: `keystone/templates/job.yaml`. */
export interface RenderedObject {
  readonly object: KubernetesObject
  readonly file: string
}

const SOURCE = /^---\r?\n# Source: (.+?)\r?$/m

/** The objects of what `helm template` prints, each with its file. Throws what `parseManifest` throws. */
export function renderedObjects(manifest: string): RenderedObject[] {
  // Split keeps what the group matched: text, file, text, file, text.
  const [first = '', ...parts] = manifest.split(new RegExp(SOURCE, 'gm'))
  const objects = parseManifest(first).map((object) => ({object, file: ''}))
  for (let index = 0; index < parts.length; index += 2) {
    const file = parts[index]!
    for (const object of parseFile(parts[index + 1]!, file)) objects.push({object, file})
  }
  return objects
}
