import {expect, it} from 'vitest'
import {withOtherImages} from '../../../src/verbs/charts/doctor/next-version.ts'

it.each([
  [{image: 'nginx:1'}, {image: 'nginx:1-next'}],
  [
    {images: {tags: {api: 'api:1'}, pull_policy: 'Always'}},
    {images: {tags: {api: 'api:1-next'}, pull_policy: 'Always'}},
  ],
  [{image: {repository: 'nginx', tag: 8}}, {image: {repository: 'nginx-next', tag: '8-next'}}],
  [
    {initImage: 'a@sha256:1', replicas: 2},
    {initImage: 'a@sha256:1', replicas: 2},
  ],
])('the images of %j become %j', (values, expected) => {
  expect(withOtherImages('/no/chart/is/here', values)).toEqual(expected)
})
