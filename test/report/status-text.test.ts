import {describe, expect, it} from 'vitest'
import {palette} from '../../src/report/colour.ts'
import {statusText} from '../../src/report/status-text.ts'
import type {ReleaseStatus} from '../../src/verbs/observation/status.ts'

const mariadb: ReleaseStatus = {
  release: 'openstack/mariadb',
  chart: 'mariadb',
  version: '0.1.0',
  revision: 1,
  status: 'deployed',
  inputs: 'current',
  health: {state: 'healthy'},
  owner: 'all-in-one',
  requires: [],
  dependents: ['openstack/keystone', 'openstack/glance'],
}

const keystone: ReleaseStatus = {
  ...mariadb,
  release: 'openstack/keystone',
  chart: 'keystone',
  revision: 12,
  inputs: 'changed',
  health: {
    state: 'failed',
    blames: [
      {
        object: 'Deployment/keystone-api',
        message: 'progress deadline exceeded',
        pod: 'keystone-api-6f7c9d-x2kqm',
        container: 'keystone-api',
        reason: 'CrashLoopBackOff',
        log: ['Access denied for user keystone'],
      },
    ],
  },
  requires: ['openstack/mariadb'],
  dependents: ['openstack/glance'],
}

const glance: ReleaseStatus = {
  ...mariadb,
  release: 'openstack/glance',
  chart: 'glance',
  revision: 0,
  status: 'not installed',
  inputs: 'unknown',
  health: undefined,
  owner: undefined,
  requires: ['openstack/mariadb', 'openstack/keystone'],
  dependents: [],
}

describe('status', () => {
  it('is a table, and then what is to blame', () => {
    expect(statusText([mariadb, keystone, glance], palette(0))).toMatchInlineSnapshot(`
      "release   revision  status         health   inputs   chart           owner       requires  dependents
      mariadb          1  deployed       healthy  current  mariadb 0.1.0   all-in-one         0           2
      keystone        12  deployed       failed   changed  keystone 0.1.0  all-in-one         1           1
      glance           –  not installed  –        unknown  glance 0.1.0    –                  2           0

      keystone: Deployment/keystone-api: progress deadline exceeded; pod keystone-api-6f7c9d-x2kqm, container keystone-api: CrashLoopBackOff
        | Access denied for user keystone
      "
    `)
  })

  it('has no second part when all is well', () => {
    expect(statusText([mariadb], palette(0))).toMatchInlineSnapshot(`
      "release  revision  status    health   inputs   chart          owner       requires  dependents
      mariadb         1  deployed  healthy  current  mariadb 0.1.0  all-in-one         0           2
      "
    `)
  })

  it('says that there are no releases', () => {
    expect(statusText([], palette(0))).toBe('no releases\n')
  })
})
