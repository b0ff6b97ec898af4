import {join} from 'node:path'
import type {Image} from '../../images/image.ts'
import {carriedPrograms} from '../../images/inventory/carried-programs.ts'
import {presentImages} from '../../images/inventory/present-images.ts'
import {type SurveyedImage, surveyImages} from '../../images/inventory/survey.ts'
import {cacheDirectory} from '../../state/directories.ts'

/** Where kk keeps what it remembers of images, their package lists and Debian's root file systems. */
export function imagesCache(env: NodeJS.ProcessEnv): string {
  return join(cacheDirectory(env), 'images')
}

/** What is true of these images on this machine; each parent stands before those that need it. */
export async function surveyed(
  images: readonly Image[],
  root: string,
  env: NodeJS.ProcessEnv,
): Promise<readonly SurveyedImage[]> {
  const carried = carriedPrograms(
    images.flatMap(({carries}) => carries),
    root,
    env,
  )
  return surveyImages(images, {cache: imagesCache(env), carried, present: await presentImages()})
}
