import {expect, it} from 'vitest'
import {palette} from '../../../src/report/colour.ts'
import {dependentsText} from '../../../src/report/graph/dependents-text.ts'
import {viewText} from '../../../src/report/text/view.ts'

it('the dependents of a release are listed, direct and indirect ones', () => {
  const text = viewText(
    dependentsText(
      {
        release: 'openstack/mariadb',
        dependents: [
          {release: 'openstack/keystone', through: undefined, owner: 'infra'},
          {release: 'openstack/horizon', through: 'openstack/keystone'},
        ],
      },
      palette(0),
    ),
  )

  expect(text).toMatchInlineSnapshot(`
    "2 releases require mariadb
      keystone  directly          of infra
      horizon   through keystone
    "
  `)
})

it('a release without dependents is reported as such', () => {
  const text = viewText(dependentsText({release: 'openstack/horizon', dependents: []}, palette(0)))

  expect(text).toBe('nothing requires horizon\n')
})
