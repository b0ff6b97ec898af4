import {describe, expect, it} from 'vitest'
import type {Values} from '../../../src/base/values.ts'
import {type KnownOptions, optionProblems} from '../../../src/prepare/settings/option-problems.ts'

const KNOWN: KnownOptions = {
  list: {
    DEFAULT: {debug: {}, enabled_backends: {}, thread_pool: {formerly: ['DEFAULT.rpc-pool', 'rpc.pool']}},
    backend_defaults: {rbd_pool: {}, volume_driver: {}},
    database: {connection: {}, idle_timeout: {removed: true}},
    privsep: {helper_command: {}},
  },
  others: new Map([['2026.1', () => ({database: {retries: {}}, api: {host: {}}})]]),
  base: {os_glance_tasks_store: {filesystem_store_datadir: '/tmp'}, database: {own: 1}},
  file: {DEFAULT: {enabled_backends: 'fast:rbd,slow', types: ['nvidia-35']}},
  templates: '{{ define "x" }}\noptions:\n  rbd: {rbd_pool: volumes}\n',
}

/** The problems of a section, each as one line. */
function problems(section: string, options: Values): readonly string[] {
  return optionProblems(section, options, KNOWN).map(
    ({path, isUnknown, text}) => `${isUnknown ? 'unknown' : 'note'} ${path.join('.')}: ${text}`,
  )
}

describe('the options of a service', () => {
  it.each<[string, string, Values, string]>([
    ['a section', 'DEFUALT', {debug: 1}, 'unknown DEFUALT: no such section: did you mean "DEFAULT"?'],
    [
      'DEFAULT in small letters',
      'default',
      {debug: 1},
      'unknown default: no such section: did you mean "DEFAULT"?',
    ],
    ['a section without a similar one', 'plugin', {a: 1}, 'unknown plugin: no such section'],
    ['an option', 'DEFAULT', {debgu: 1}, 'unknown DEFAULT.debgu: no such option: did you mean "debug"?'],
    [
      'an option of another section',
      'DEFAULT',
      {connection: 1},
      'unknown DEFAULT.connection: no such option; it exists in database',
    ],
    [
      'an option of keystoneauth',
      'database',
      {usernam: 1},
      'unknown database.usernam: no such option: did you mean "username"?',
    ],
    [
      'an option of a backend',
      'slow',
      {rbd_pol: 1},
      'unknown slow.rbd_pol: no such option: did you mean "rbd_pool"?',
    ],
  ])('a slip in %s is unknown', (_, section, options, line) => {
    expect(problems(section, options)).toEqual([line])
  })

  it.each<[string, string, Values, string]>([
    [
      'a former name',
      'DEFAULT',
      {rpc_pool: 1},
      'note DEFAULT.rpc_pool: deprecated: its name is DEFAULT.thread_pool now',
    ],
    ['a former section', 'rpc', {pool: 1}, 'note rpc.pool: deprecated: its name is DEFAULT.thread_pool now'],
    [
      'an option to be removed',
      'database',
      {idle_timeout: 1},
      'note database.idle_timeout: deprecated: a later OpenStack release removes it',
    ],
    [
      'an option of another release',
      'database',
      {retries: 1},
      'note database.retries: has no effect: only OpenStack 2026.1 has it',
    ],
    [
      'a section of another release',
      'api',
      {host: 1},
      'note api: has no effect: only OpenStack 2026.1 has it',
    ],
  ])('%s is a note', (_, section, options, line) => {
    expect(problems(section, options)).toEqual([line])
  })

  it.each<[string, string, Values]>([
    ['a known option', 'DEFAULT', {debug: true}],
    ['a section in another case, as oslo.config reads it', 'Database', {connection: 'x'}],
    ['null, which removes a default', 'DEFAULT', {debgu: null}],
    ['a section of null alone', 'plugin', {a: null}],
    ['an option that the chart writes', 'database', {own: 2}],
    ['a section that the chart writes', 'os_glance_tasks_store', {filesystem_store_datadir: '/data'}],
    ['a section that a template of the chart writes', 'rbd', {rbd_pool: 'other'}],
    ['the account of a client', 'database', {auth_type: 'password', application_credential_id: 'x'}],
    ['a backend, with options that only its driver knows', 'fast', {volume_driver: 'x', acme_address: 'y'}],
    ['a section named by the value of an option, with a prefix', 'mdev_nvidia-35', {device_addresses: 'x'}],
    ['a section of oslo.privsep', 'vif_plug_ovs_privileged', {helper_command: 'x'}],
    ['a section that neutron reads without listing it', 'service_providers', {service_provider: 'x'}],
  ])('%s is right', (_, section, options) => {
    expect(problems(section, options)).toEqual([])
  })
})
