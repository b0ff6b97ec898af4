import type {SurveyedImage} from '../../images/inventory/survey.ts'
import type {Palette} from '../colour.ts'
import {table} from '../table.ts'

/** What is known of each image on this machine. */
export function imagesText(images: readonly SurveyedImage[], palette: Palette): string {
  const rows = images.map(({image, state, record}) => [
    image.name,
    `${image.repository}:${image.tag}`,
    record?.version ?? '',
    state === 'current'
      ? palette.good('built')
      : palette.change(state === 'absent' ? 'not built' : 'outdated'),
  ])
  return table([['NAME', 'IMAGE', 'VERSION', 'STATE'], ...rows]).join('\n')
}
