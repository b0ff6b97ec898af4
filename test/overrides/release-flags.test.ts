import {describe, expect, it} from 'vitest'
import {parseSetFlag, parseValuesFlag} from '../../src/overrides/release-flags.ts'

describe('--values RELEASE=FILE', () => {
  it.each([
    ['keystone=extra.yaml', {release: 'keystone', file: 'extra.yaml'}],
    ['ingress-kube=/etc/a=b.yaml', {release: 'ingress-kube', file: '/etc/a=b.yaml'}],
    ['openstack/keystone=x,y.yaml', {release: 'openstack/keystone', file: 'x,y.yaml'}],
  ])('reads %s', (text, flag) => {
    expect(parseValuesFlag(text)).toEqual(flag)
  })

  it.each(['extra.yaml', '=extra.yaml', 'keystone=', './extra.yaml=x'])(
    'refuses %s and shows the form',
    (text) => {
      expect(() => parseValuesFlag(text)).toThrow(
        expect.objectContaining({code: 'KK_USAGE', message: `--values ${text}: expected RELEASE=FILE`}),
      )
    },
  )
})

describe('--set RELEASE:KEY=VALUE', () => {
  it.each([
    ['keystone:pod.replicas.api=3', {flag: '--set', release: 'keystone', expression: 'pod.replicas.api=3'}],
    [
      'keystone:conf.url=http://x:5000/',
      {flag: '--set', release: 'keystone', expression: 'conf.url=http://x:5000/'},
    ],
    ['keystone:a=', {flag: '--set', release: 'keystone', expression: 'a='}],
  ])('reads %s', (text, flag) => {
    expect(parseSetFlag('--set', text)).toEqual(flag)
  })

  it.each([
    ['password=hunter2', 'password=***'],
    ['keystone.password=hun:ter2', 'keystone.password=***'],
    ['keystone:password', 'keystone:***'],
    ['keystone:S3cret', 'keystone:***'],
    ['S3cret', '***'],
    ['correct-horse', '***'],
    ['keystone:', 'keystone:***'],
    ['password.hunter2', '***'],
    ['keystone:conf.password.hunter2', 'keystone:***'],
    ['password:hunter2', '***'],
    ['password[hunter2]=1', 'password***=***'],
    ['password hunter2=1', 'password***=***'],
    ['passwords.list[0].x=1', 'passwords.list[0].x=***'],
    ['s3cret passphrase!', '***'],
  ])('refuses %s without repeating a value', (text, shown) => {
    expect(() => parseSetFlag('--set', text)).toThrow(
      expect.objectContaining({code: 'KK_USAGE', message: `--set ${shown}: expected RELEASE:KEY=VALUE`}),
    )
  })
})
