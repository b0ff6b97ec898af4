import fc from 'fast-check'
import {expect, it} from 'vitest'
import {junitReport} from '../../../src/report/files/junit.ts'
import {plainLine} from '../../../src/report/text/plain.ts'
import {brokenRun, goodRun, KEYSTONE_FAILURE} from '../support/all-in-one.ts'
import {readJunit} from './support/read-by-python.ts'
import {brokenOff, failing, stateOf} from './support/state-of.ts'

it.each([
  ['succeeded', goodRun()],
  ['failed', brokenRun()],
  ['was broken off', brokenOff()],
])('the JUnit report of a run that %s is a valid suite in both common schemas', async (_ending, events) => {
  const [read] = await readJunit([junitReport(stateOf(events))])

  expect(read?.problems).toEqual([])
})

it('the JUnit report has a case per release with its time, the message and log of a failure, the reason of a skip', async () => {
  const [read] = await readJunit([junitReport(stateOf(brokenRun()))])

  expect(read?.suite).toMatchObject({
    name: 'all-in-one',
    tests: '6',
    failures: '1',
    skipped: '2',
    time: '40.000',
    timestamp: '2026-11-20T12:00:00',
  })
  expect(read?.cases.map(({name, time, endings}) => [name, time, endings[0]?.tag])).toEqual([
    ['mariadb', '12.000', undefined],
    ['memcached', '4.000', undefined],
    ['rabbitmq', '9.000', undefined],
    ['keystone', '28.000', 'failure'],
    ['glance', '0.000', 'skipped'],
    ['horizon', '0.000', 'skipped'],
  ])
  expect(read?.cases[3]?.classname).toBe('all-in-one.openstack')
  expect(read?.cases[3]?.endings).toEqual([
    {
      tag: 'failure',
      type: 'KK_UNHEALTHY',
      message: KEYSTONE_FAILURE.message,
      text: expect.stringContaining('| OperationalError: (1045) Access denied for user keystone'),
    },
  ])
  expect(read?.cases[4]?.endings[0]?.message).toBe('skipped because keystone failed')
})

it('the JUnit report has an error, not a success, for a release without a known end', async () => {
  const [read] = await readJunit([junitReport(stateOf(brokenOff()))])

  expect(read?.suite.errors).toBe('1')
  expect(read?.cases.map(({name, endings}) => [name, endings[0]?.tag, endings[0]?.message])).toEqual([
    ['mariadb', 'error', 'not known to have ended'],
    ['keystone', 'skipped', 'skipped because the run was interrupted'],
    ['rabbitmq', undefined, undefined],
  ])
})

it('the JUnit report has a case for each test that a pod of helm test reports', async () => {
  const state = stateOf(goodRun())
  const [release, mariadb] = [...state.releases][0]!
  const tests = [
    {name: 'lists', outcome: 'passed', seconds: 1.5},
    {name: 'deletes', outcome: 'failed', text: 'Traceback\nAssertionError: 1 != 2'},
    {name: 'migrates', outcome: 'skipped', text: 'needs 2 nodes'},
  ] as const
  const tested = {...state, releases: new Map([...state.releases, [release, {...mariadb, tests}]])}

  const [read] = await readJunit([junitReport(tested)])

  expect(read?.problems).toEqual([])
  expect(read?.suite).toMatchObject({tests: `${state.releases.size + 3}`, failures: '1', skipped: '1'})
  expect(read?.cases.slice(1, 4)).toMatchObject([
    {name: 'lists', classname: 'all-in-one.openstack.mariadb', time: '1.500', endings: []},
    {name: 'deletes', endings: [{tag: 'failure', message: 'AssertionError: 1 != 2'}]},
    {name: 'migrates', endings: [{tag: 'skipped', message: 'needs 2 nodes'}]},
  ])
})

it('the JUnit report preserves any text except for characters that XML cannot represent', async () => {
  const text = fc.oneof(
    fc.string({unit: 'binary'}),
    fc.constantFrom(']]>', '<!--', '&amp;', '<script>', '"\'', '\u0000', '\ud800', '\ufffe', 'é 漢 😀'),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(text, {minLength: 200, maxLength: 300}), async (texts) => {
      const read = await readJunit(texts.map((each) => junitReport(stateOf(failing(each)))))

      expect(read.map(({cases}) => cases[0]?.endings[0]?.message)).toEqual(
        texts.map((each) =>
          plainLine(each)
            .toWellFormed()
            .replaceAll(/[\ufffe\uffff]/gu, '\ufffd'),
        ),
      )
    }),
    {numRuns: 2},
  )
})
