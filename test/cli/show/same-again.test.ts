import {expect, it} from 'vitest'
import {sameAgain} from '../../../src/cli/show/same-again.ts'

it('the same again names the releases, the cluster and the files of values', () => {
  const flags = {sandbox: true, values: ['keystone=x.yaml', 'glance=y.yaml']}

  expect(sameAgain({file: 'env.yaml', names: ['keystone', 'glance'], flags})).toEqual({
    line: 'env.yaml keystone glance --sandbox --values keystone=x.yaml --values glance=y.yaml',
    given: undefined,
  })
})

it('the same again says that --set was given, and never what', () => {
  const flags = {set: ['keystone:password=hunter2']}

  expect(sameAgain({file: 'env.yaml', names: [], flags})).toEqual({
    line: 'env.yaml',
    given: 'with the same --set',
  })
})
