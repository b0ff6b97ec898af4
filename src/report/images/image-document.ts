import type {ImageResult} from '../../images/building/build-images.ts'
import {packageListPath} from '../../images/inventory/record.ts'
import type {SurveyedImage} from '../../images/inventory/survey.ts'

/** One image for programs; `cache` adds where its package list is. */
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
