import {describe, expect, it} from 'vitest'
import {cacheDirectory, configDirectory, stateDirectory} from '../../src/state/directories.ts'

describe('directories', () => {
  it.each([
    ['state', stateDirectory, {HOME: '/home/ann'}, '/home/ann/.local/state/kk'],
    ['cache', cacheDirectory, {HOME: '/home/ann'}, '/home/ann/.cache/kk'],
    ['config', configDirectory, {HOME: '/home/ann'}, '/home/ann/.config/kk'],
    ['state', stateDirectory, {HOME: '/home/ann', XDG_STATE_HOME: '/var/lib'}, '/var/lib/kk'],
    ['cache', cacheDirectory, {HOME: '/home/ann', XDG_CACHE_HOME: '/var/cache'}, '/var/cache/kk'],
    ['config', configDirectory, {HOME: '/home/ann', XDG_CONFIG_HOME: '/etc'}, '/etc/kk'],
  ])('returns %s', (_, directory, env, expected) => {
    expect(directory(env)).toBe(expected)
  })

  it.each(['', 'relative/path'])('passes over XDG_STATE_HOME=%j', (value) => {
    expect(stateDirectory({HOME: '/home/ann', XDG_STATE_HOME: value})).toBe('/home/ann/.local/state/kk')
  })
})
