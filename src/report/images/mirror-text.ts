import type {MirroredImage, MirrorPlan, MirrorProgress} from '../../verbs/images/mirror/mirror.ts'
import type {MirrorSettings} from '../../verbs/images/mirror/settings.ts'
import {documentText} from '../document.ts'
import {list} from '../table.ts'
import {counted} from '../text/list.ts'
import {sizeText} from '../text/size.ts'
import type {View} from '../text/view.ts'

/** Returns what will be copied: a row for each image and chart, and the sum. */
export function mirrorPlanText({images, charts}: MirrorPlan, to: string): View {
  const rows = [
    ...images.map(({image: name, state, bytes, replaces}) => ({name, state, bytes, replaces})),
    ...charts.map(({packed: {file: name, bytes}, state}) => {
      return {name, state, bytes: bytes.length, replaces: undefined}
    }),
  ]
  const shown = list(rows, [
    ({name}) => name,
    {cell: ({state, bytes}) => (state === 'new' ? sizeText(bytes) : 'already there'), whole: true},
    ({replaces}) => (replaces === undefined ? '' : `replaces ${replaces}`),
  ])
  const added = images.filter(({state}) => state === 'new')
  const size = sizeText(added.reduce((sum, {bytes}) => sum + bytes, 0))
  const newCharts = charts.filter(({state}) => state !== 'there').length
  const sum = `${counted(added.length, 'new image')} (${size}) and ${counted(newCharts, 'new chart')} for ${to}`
  return [shown, sum]
}

/** Returns the line of one image that is being copied, or was. */
export function mirroredText({image, digest, bytes}: MirroredImage, progress: MirrorProgress): string {
  const {number, of, isDone} = progress
  const what = isDone ? `copied as ${digest}` : `copying ${sizeText(bytes)}`
  return `${number}/${of} ${image}: ${what}`
}

/**
 * Returns the keys of the environment file by which it uses the mirror, with comments: what they omit,
 * and what they are for.
 */
export function mirrorSettingsText({settings, unplaced}: MirrorSettings, use: string): string {
  const unplacedLines = unplaced.map((image) => `# no value says where ${image} comes from\n`).join('')
  return `# ${use}\n${documentText(settings, 'yaml')}${unplacedLines}`
}

/** The same for `--output json|yaml`. */
export function mirrorDocument(
  {images, charts}: MirrorPlan,
  to: string,
  settings: Readonly<Record<string, MirrorSettings>>,
): object {
  return {
    to,
    images: images.map(({image, name, digest, state, bytes, replaces}) => ({
      ...{image, name, digest, state, bytes},
      ...(replaces !== undefined && {replaces}),
    })),
    charts: charts.map(({packed: {name, version, digest}, state}) => ({
      name,
      version,
      digest: `sha256:${digest}`,
      state,
    })),
    environments: Object.entries(settings).map(([name, {settings, unplaced}]) => ({
      name,
      settings,
      unplaced,
    })),
  }
}
