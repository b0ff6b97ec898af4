import type {Image} from '../../../src/images/image.ts'
import type {SurveyedImage} from '../../../src/images/inventory/survey.ts'

type Changes = Partial<Pick<SurveyedImage, 'state' | 'inputs'>> & Partial<Image>

/** An image of this name that was built before; `absent` unless told. */
export function surveyed(
  name: string,
  {state = 'absent', inputs = 'inputs', ...image}: Changes = {},
): SurveyedImage {
  return {
    image: {
      name,
      repository: `kk/${name}`,
      tag: '2025.1-debian-trixie',
      title: name,
      source: undefined,
      version: `deb/${name}`,
      folder: `/images/${name}`,
      containerfile: 'Containerfile',
      arguments: {},
      carries: [],
      rootfs: undefined,
      go: undefined,
      parents: [],
      chart: undefined,
      ...image,
    },
    inputs,
    state,
    record: {inputs, id: 'id', version: '1', built: '2026-01-01T00:00:00Z', packages: 1, pushed: {}},
  }
}
