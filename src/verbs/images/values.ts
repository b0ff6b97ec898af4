import type {SurveyedImage} from '../../images/inventory/survey.ts'
import type {Registry} from '../../images/registry/registry.ts'

/**
 * The part of an environment file that lets its charts use these images: pinned to what was pushed, else by tag. Of
 * several for one chart, the first. The nodes may call the registry by another name than who pushed.
 */
export function imageValues(
  images: readonly SurveyedImage[],
  registry: Registry,
  pushedTo: Registry = registry,
): {readonly global: {readonly images: {readonly tags: Readonly<Record<string, string>>}}} {
  const tags: Record<string, string> = {}
  for (const {image, record} of images) {
    if (image.chart === undefined || image.chart in tags) continue
    const digest = record?.pushed[pushedTo.name]
    const reference = `${registry.name}/${image.repository}:${image.tag}`
    tags[image.chart] = digest ? `${reference}@${digest}` : reference
  }
  return {global: {images: {tags}}}
}
