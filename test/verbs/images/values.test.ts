import {expect, it} from 'vitest'
import {parseRegistry} from '../../../src/images/registry/registry.ts'
import {imageValues} from '../../../src/verbs/images/images.ts'
import {surveyed} from '../../images/support/surveyed.ts'

const REGISTRY = parseRegistry('127.0.0.1:5000')

it('a chart gets its first image, by digest if it was pushed, else by tag', () => {
  const first = surveyed('keystone', {chart: 'keystone'})
  const second = surveyed('keystone-2026.1', {
    chart: 'keystone',
    repository: 'kk/keystone',
    tag: '2026.1-debian-trixie',
  })
  const gate = surveyed('kk', {chart: 'dep_check'})
  const pushed = {...gate, record: {...gate.record!, pushed: {'127.0.0.1:5000': 'sha256:abc'}}}

  expect(imageValues([surveyed('base'), first, second, pushed], REGISTRY)).toEqual({
    global: {
      images: {
        tags: {
          keystone: '127.0.0.1:5000/kk/keystone:2025.1-debian-trixie',
          dep_check: '127.0.0.1:5000/kk/kk:2025.1-debian-trixie@sha256:abc',
        },
      },
    },
  })
})

it('nodes may use another name of the registry', () => {
  const image = surveyed('keystone', {chart: 'keystone'})
  const pushed = {...image, record: {...image.record!, pushed: {'127.0.0.1:5000': 'sha256:abc'}}}

  expect(imageValues([pushed], parseRegistry('10.213.0.1:5010'), REGISTRY)).toEqual({
    global: {images: {tags: {keystone: '10.213.0.1:5010/kk/keystone:2025.1-debian-trixie@sha256:abc'}}},
  })
})
