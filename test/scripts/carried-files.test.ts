import {join} from 'node:path'
import {expect, it} from 'vitest'
import {carriedFiles} from '../../scripts/carried-files.ts'

it('the executable carries the names of all options, and not what they are', () => {
  const files = carriedFiles(join(import.meta.dirname, '../..'))

  const {options} = JSON.parse(files['options/2025.1/nova.json']!.text)
  expect(options.DEFAULT.debug).toEqual({})
  expect(options.DEFAULT.executor_thread_pool_size).toEqual({formerly: ['DEFAULT.rpc_thread_pool_size']})
  expect(options.api).toHaveProperty('auth_strategy', {removed: true})
  expect(files).toHaveProperty(['options/2026.1/placement.json'])
})
