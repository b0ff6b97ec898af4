import {join} from 'node:path'
import {chooseImages} from '../../images/inventory/choose-images.ts'
import {readImages} from '../../images/inventory/read-images.ts'
import type {SurveyedImage} from '../../images/inventory/survey.ts'
import {surveyed} from './image-world.ts'

/** The images of these names, all without a name, as they are on this machine. */
export async function listImages(
  names: readonly string[],
  root: string,
  env: NodeJS.ProcessEnv,
): Promise<readonly SurveyedImage[]> {
  const images = await readImages(join(root, 'images'))
  const chosen = new Set(chooseImages(images, names).map(({name}) => name))
  return (await surveyed(images, root, env)).filter(({image}) => chosen.has(image.name))
}
