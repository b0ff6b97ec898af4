import {expect, it} from 'vitest'
import {KkError} from '../../../src/base/errors.ts'
import {
  repeatCommand,
  retryFlags,
  statusCommand,
  withOperatorPlace,
} from '../../../src/cli/run/repeat-command.ts'

it('sameAgain names the releases, the cluster and the values files', () => {
  const flags = {sandbox: true, values: ['keystone=x.yaml', 'glance=y.yaml']}

  expect(repeatCommand({file: 'env.yaml', names: ['keystone', 'glance'], flags})).toEqual({
    line: 'env.yaml keystone glance --sandbox --values keystone=x.yaml --values glance=y.yaml',
    setHint: undefined,
  })
})

it('sameAgain mentions --set without its values', () => {
  const flags = {set: ['keystone:password=hunter2']}

  expect(repeatCommand({file: 'env.yaml', names: [], flags})).toEqual({
    line: 'env.yaml',
    setHint: 'with the same --set',
  })
})

it('sameAgain names the facts, the plugins and the override store, but no URL, which may contain a password', () => {
  const flags = {facts: 'facts.yaml', plugins: 'plugins', store: 'store.sqlite'}
  const line = (store: string) => repeatCommand({file: 'env.yaml', names: [], flags: {...flags, store}}).line

  expect(line('store.sqlite')).toBe('env.yaml --store store.sqlite --facts facts.yaml --plugins plugins')
  expect(line('postgres://kk:hunter2@db/kk')).toBe('env.yaml --facts facts.yaml --plugins plugins')
})

it('sameAgain repeats --force-version', () => {
  const flags = {'force-version': true, values: ['keystone=x.yaml']}

  expect(repeatCommand({file: 'env.yaml', names: [], flags}).line).toBe(
    'env.yaml --values keystone=x.yaml --force-version',
  )
})

it('sameWay names the flags that control the change', () => {
  const flags = {concurrency: 3, 'force-conflicts': true, 'on-failure': 'rollback-run'} as const

  expect(retryFlags(flags, {correctDrift: {forceConflicts: true}})).toBe(
    ' --correct-drift --force-conflicts --concurrency 3 --on-failure rollback-run',
  )
})

it('retryFlags omits flags with default values', () => {
  expect(retryFlags({'fail-fast': false, 'on-failure': 'keep', concurrency: undefined})).toBe('')
})

it.each([
  {what: 'a file', file: 'cloud.yaml', command: 'kk status cloud.yaml --sandbox'},
  {what: 'standard input', file: '-', command: 'kk status --owner cloud --sandbox'},
])('shows the status of an environment of $what by: $command', ({file, command}) => {
  expect(statusCommand({name: 'cloud', file}, {sandbox: true})).toBe(command)
})

it('a hint names the cluster in each command of the operator', () => {
  const error = new KkError('KK_PAUSED', 'it is paused', {
    hint: 'let it drive the environment: kk operator resume cloud; or see kk operator status, and kk deploy',
  })

  expect(withOperatorPlace(error, {'sandbox-name': 'trial', context: 'c'})).toMatchObject({
    code: 'KK_PAUSED',
    exit: 3,
    hint:
      'let it drive the environment: kk operator resume cloud --sandbox-name trial --context c; ' +
      'or see kk operator status --sandbox-name trial --context c, and kk deploy',
  })
})
