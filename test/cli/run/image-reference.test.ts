import {expect, it} from 'vitest'
import {expectImage} from '../../../src/cli/run/image-reference.ts'

it.each([
  'kk',
  'registry.example.org/kk:1',
  'localhost:5000/openstack/kk-operator:2026.1_a',
  `registry.example.org/kk@sha256:${'0'.repeat(64)}`,
  `REGISTRY.example.org/kk:1@sha256:${'0'.repeat(64)}`,
])('%s is a reference to an image', (image) => {
  expect(() => expectImage(image)).not.toThrow()
})

it.each([
  '',
  'kk 1',
  'registry.example.org/KK:1',
  'kk:',
  'https://registry.example.org/kk',
  '-kk',
  'kk@sha256:1',
])('"%s" is not an image reference, which is a usage error', (image) => {
  expect(() => expectImage(image)).toThrow(expect.objectContaining({code: 'KK_USAGE', exit: 2}))
})
