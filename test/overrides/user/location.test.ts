import {describe, expect, it} from 'vitest'
import {locationText, storeLocation} from '../../../src/overrides/user/location.ts'

const at = (location: string | undefined) =>
  storeLocation({location, name: 'cloud', env: {XDG_STATE_HOME: '/state'}})

describe('the location of a store', () => {
  it.each([
    [undefined, {kind: 'sqlite', path: '/state/kk/stores/cloud.sqlite'}],
    ['', {kind: 'sqlite', path: '/state/kk/stores/cloud.sqlite'}],
    ['/srv/kk.sqlite', {kind: 'sqlite', path: '/srv/kk.sqlite'}],
    ['postgres://h/d', {kind: 'postgres', url: 'postgres://h/d'}],
    ['postgresql:///d?host=/run', {kind: 'postgres', url: 'postgresql:///d?host=/run'}],
  ])('%j is %j', (location, expected) => {
    expect(at(location)).toEqual(expected)
  })

  it('is shown without the password', () => {
    const shown = ['postgres://ada:s%40fe@h:5/d', 'postgres://ada@h:5/d?password=s%40fe'].map((url) =>
      locationText(at(url)),
    )

    expect(shown).toEqual(['postgres://ada@h:5/d', 'postgres://ada@h:5/d'])
  })

  it.each(['mysql://ada:secret@h/d', 'postgres://ada:secret@[h/d', 'sqlite:///x'])(
    'is refused as %j, without showing it',
    (location) => {
      expect(() => at(location)).toThrow(
        expect.objectContaining({code: 'KK_USAGE', message: expect.not.stringContaining('secret')}),
      )
    },
  )
})
