import {describe, expect, it} from 'vitest'
import {KkError} from '../../../src/base/errors.ts'
import {
  buildFailure,
  buildImages,
  type ImageEvent,
  type ImageTools,
} from '../../../src/images/building/build-images.ts'
import {surveyed} from '../support/surveyed.ts'

const BASE = surveyed('base')
const LEFT = surveyed('left', {parents: ['base']})
const RIGHT = surveyed('right', {parents: ['base']})
const TOP = surveyed('top', {parents: ['left']})

async function built(
  images: Parameters<typeof buildImages>[0],
  tools: Partial<ImageTools> = {},
  refresh = false,
) {
  const events: ImageEvent[] = []
  const results = await buildImages(images, {
    tools: {build: async ({inputs}) => surveyed('any', {inputs}).record!, ...tools},
    refresh,
    onEvent: (event) => events.push(event),
  })
  return {events, results, outcomes: results.map(({image, outcome}) => `${image.name} ${outcome}`)}
}

describe('building images', () => {
  it('builds parents first, and two images concurrently', async () => {
    const running = new Set<string>()
    const seen: string[] = []
    const build: ImageTools['build'] = async ({image, inputs}) => {
      running.add(image.name)
      seen.push([...running].sort().join('+'))
      await new Promise((resolve) => setImmediate(resolve))
      running.delete(image.name)
      return surveyed(image.name, {inputs}).record!
    }

    const {outcomes} = await built([BASE, LEFT, RIGHT, TOP], {build})

    expect(outcomes).toEqual(['base built', 'left built', 'right built', 'top built'])
    expect(seen.slice(0, 3)).toEqual(['base', 'left', 'left+right'])
  })

  it('skips current images unless refresh is set', async () => {
    const current = surveyed('base', {state: 'current'})

    expect((await built([current])).outcomes).toEqual(['base unchanged'])
    expect((await built([current], {}, true)).outcomes).toEqual(['base built'])
  })

  it('skips images based on a failed one, and reports its name', async () => {
    const build: ImageTools['build'] = async ({image, inputs}) => {
      if (image.name === 'left') throw new KkError('KK_IMAGE', 'buildah build failed', {log: ['no space']})
      return surveyed(image.name, {inputs}).record!
    }

    const {events, outcomes, results} = await built([BASE, LEFT, RIGHT, TOP], {build})

    expect(outcomes).toEqual(['base built', 'left failed', 'right built', 'top skipped'])
    expect(events).toContainEqual({type: 'image-skipped', name: 'top', because: 'left'})
    expect(buildFailure(results)).toMatchObject({
      code: 'KK_IMAGE',
      message: 'the image left failed: buildah build failed',
      log: ['no space'],
    })
  })

  it('also pushes unchanged images, and returns the digest', async () => {
    const push: ImageTools['push'] = async ({image}) => ({digest: `sha256:${image.name}`, sent: false})

    const {events, results} = await built([surveyed('base', {state: 'current'})], {push})

    expect(events).toEqual([
      {type: 'image-unchanged', name: 'base'},
      {type: 'image-present', name: 'base', digest: 'sha256:base'},
    ])
    expect(results).toMatchObject([{outcome: 'unchanged', digest: 'sha256:base'}])
  })
})
