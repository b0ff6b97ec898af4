import type {ImageEvent, ImageResult} from '../../images/building/build-images.ts'
import {packageListPath} from '../../images/inventory/record.ts'
import type {SurveyedImage} from '../../images/inventory/survey.ts'
import {releaseName} from '../../release.ts'
import type {NeededImage} from '../../verbs/images/needed-images.ts'
import type {Palette} from '../colour.ts'
import {pairs, table} from '../table.ts'
import {durationText} from '../text/duration.ts'
import type {View} from '../text/view.ts'

/** Returns the state of each image on this machine as a table. */
export function imagesText(images: readonly SurveyedImage[], {good, change}: Palette): View {
  const stateText = (state: SurveyedImage['state']) =>
    state === 'current' ? good('built') : change(state === 'absent' ? 'not built' : 'outdated')
  return table(images, {
    NAME: ({image}) => image.name,
    IMAGE: ({image}) => `${image.repository}:${image.tag}`,
    VERSION: ({record}) => record?.version ?? '',
    STATE: ({state}) => stateText(state),
  })
}

/** Returns the images of an environment as a table, with the releases that need each. */
export function neededImagesText(images: readonly (NeededImage & {readonly digest: string | null})[]): View {
  return table(images, {
    IMAGE: ({image}) => image,
    DIGEST: ({digest}) => digest?.slice(0, 'sha256:'.length + 12) ?? '',
    RELEASES: ({releases}) => releases.map(releaseName).join(', '),
  })
}

/** Returns one image as a document for programs. `cache` adds the path of its package list. */
export function imageDocument(of: SurveyedImage | ImageResult, cache?: string): object {
  const {image, state, inputs, record} = of
  return {
    name: image.name,
    image: `${image.repository}:${image.tag}`,
    title: image.title,
    parents: image.parents,
    state,
    inputs,
    ...(record && {version: record.version, id: record.id, built: record.built, packages: record.packages}),
    ...(record && {pushed: record.pushed}),
    ...(record && cache && {packageList: packageListPath(cache, image.name)}),
    ...('outcome' in of && resultOf(of)),
  }
}

function resultOf({outcome, seconds, digest, error}: ImageResult): object {
  return {
    outcome,
    ...(seconds !== undefined && {seconds: Math.round(seconds * 10) / 10}),
    ...(digest && {digest}),
    ...(error && {error: error.message}),
  }
}

const LONGEST_STEP = 100

/** Returns the line of one event of a build. */
export function imageEventText(event: ImageEvent): string {
  switch (event.type) {
    case 'image-started':
      return `${event.name}: building`
    case 'image-step':
      return `${event.name}: ${event.step.replaceAll(/\s+/g, ' ').slice(0, LONGEST_STEP)}`
    case 'image-built':
      return `${event.name}: built in ${durationText(event.seconds)}`
    case 'image-unchanged':
      return `${event.name}: unchanged`
    case 'image-pushed':
      return `${event.name}: pushed as ${event.digest}`
    case 'image-present':
      return `${event.name}: the registry has it already`
    case 'image-skipped':
      return `${event.name}: skipped, for ${event.because} is not there`
    case 'image-failed':
      return `${event.name}: failed: ${event.error.message}`
  }
}

/** Returns what a build would do, one row per image. */
export function imagePlanText(images: readonly SurveyedImage[], refresh: boolean): View {
  const buildText = ({state}: SurveyedImage) => {
    if (refresh) return 'build: asked to refresh'
    if (state === 'current') return 'unchanged'
    return state === 'absent' ? 'build: it is not here' : 'build: its inputs changed'
  }
  return pairs(images.map((each) => [each.image.name, buildText(each)]))
}
