import {globSync} from 'node:fs'
import {expect, it} from 'vitest'
import config from '../../vitest.config.ts'

interface Project {
  readonly test: {
    readonly name: string
    readonly include: string[]
    readonly exclude?: string[]
    readonly retry?: unknown
  }
}

const projects = (config.test!.projects as readonly Project[]).map(({test}) => test)

it('every test file belongs to one suite', () => {
  const files = projects.flatMap(({include, exclude = []}) => globSync(include, {exclude}))

  expect(files.toSorted()).toEqual(globSync('test/**/*.test.ts').toSorted())
})

it.each(projects)('no test of $name is retried after a failure', ({retry}) => {
  expect(retry).toBeUndefined()
  expect(config.test!.retry).toBeUndefined()
})
