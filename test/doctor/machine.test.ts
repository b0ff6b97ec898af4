import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {judgeClock, judgeNodeClocks} from '../../src/doctor/checks.ts'
import type {Examination} from '../../src/doctor/facts.ts'
import {judgeDiskSpace, judgeUnwritable, stateDirectoryCheck} from '../../src/doctor/local/state-directory.ts'
import {clockAhead} from '../../src/kubernetes/diagnosis/open.ts'
import {nodeClocks} from '../../src/kubernetes/node-clocks.ts'
import {json, scriptedServer} from '../kubernetes/support/api-server.ts'
import {testDirectory} from '../support/test-directory.ts'

const MIB = 2 ** 20

describe('the clock', () => {
  it.each([
    ['90 s behind', 90],
    ['ahead of', -3600],
  ])('of an API server is read from its answers: %s', async (words, seconds) => {
    const {client} = await scriptedServer((_, response) => {
      response.setHeader('date', new Date(Date.now() + seconds * 1000).toUTCString())
      json(response, {})
    })

    const [found] = judgeClock(await clockAhead(client))

    expect(found).toMatchObject({level: 'warning', advice: 'timedatectl set-ntp true'})
    expect(found!.what).toMatch(seconds > 0 ? /clock is (89|90|91) s behind/ : new RegExp(words))
  })

  it.each([0, 30, -30])('may differ by %i s without a report', (ahead) => {
    expect(judgeClock(ahead)).toEqual([])
  })

  it.each([
    [31, "clock is 31 s ahead of the API server's"],
    [-31, "clock is 31 s behind the API server's"],
  ])('is reported if it differs by %i s', (ahead, words) => {
    expect(judgeClock(ahead)).toMatchObject([{what: expect.stringContaining(words)}])
  })
})

describe('the clocks of nodes', () => {
  const lease = (name: string, seconds: number, {field = 'f:renewTime', at = '10:00:00'} = {}) => {
    const time = `2026-11-29T${at}Z`
    return {
      metadata: {
        ...{name, namespace: 'kube-node-lease', resourceVersion: '1'},
        managedFields: [
          {time, fieldsV1: {'f:spec': {[field]: {}}}},
          {time: '2026-11-29T09:00:00Z', fieldsV1: {'f:metadata': {}}},
        ],
      },
      spec: {renewTime: new Date(Date.parse(time) + 500 + seconds * 1000).toISOString()},
    }
  }

  it('are those of the Leases, beside the times that the API server has written', () => {
    const leases = [lease('same', 0), lease('late', -2), lease('ahead', 5.2), lease('behind', -90)]
    const unknown = [lease('other', 60, {field: 'f:holderIdentity'}), lease('dead', 60, {at: '09:58:59'})]

    expect(nodeClocks([...leases, ...unknown])).toEqual([
      {node: 'same', ahead: 0},
      {node: 'late', ahead: 0},
      {node: 'ahead', ahead: 5},
      {node: 'behind', ahead: -90},
    ])
  })

  it('are reported with the difference', () => {
    const clocks = [0, 0, 5, -90].map((ahead, at) => ({node: `n${at}`, ahead}))

    expect(judgeNodeClocks(clocks)).toMatchObject([
      {what: expect.stringContaining("node n2 is 5 s ahead of the API server's: ")},
      {what: expect.stringContaining("node n3 is 90 s behind the API server's: ")},
    ])
  })

  it('that differ alike on most nodes show that the clock of the API server is wrong', () => {
    const clocks = [61, 60, 0].map((ahead, at) => ({node: `n${at}`, ahead}))

    expect(judgeNodeClocks(clocks)).toMatchObject([
      {what: expect.stringContaining("the clock of the API server's host is wrong")},
    ])
  })

  it('are not called right if no Lease shows them', () => {
    expect(judgeNodeClocks([])).toMatchObject([{level: 'info'}])
  })
})

describe('the state directory', () => {
  it('with 100 MiB of free space is fine', () => {
    expect(judgeDiskSpace('/state', 100 * MIB)).toEqual([])
  })

  it('with less free space is reported, with a command that lists the largest files', () => {
    expect(judgeDiskSpace('/state', 100 * MIB - 1)).toEqual([
      {
        level: 'warning',
        what: 'the disk of /state has only 99 MiB free: when it is full, a run continues without its journal',
        advice: 'du --all --human-readable /state | sort --human-numeric-sort | tail',
      },
    ])
  })

  it.each([
    ['EACCES', 'chmod u+rwx /state'],
    ['EROFS', 'export XDG_STATE_HOME=$(mktemp -d)'],
  ])('that cannot be written because of %s is a problem', (code, advice) => {
    expect(judgeUnwritable('/state', code)).toMatchObject([{level: 'problem', advice}])
  })

  it('is created if missing', async () => {
    const home = testDirectory()

    expect(await stateDirectoryCheck.run({directory: join(home, 'a/kk')} as Examination)).toEqual([])
  })

  it('below /proc is reported immediately, with the reason', async () => {
    const found = await stateDirectoryCheck.run({directory: '/proc/state/kk'} as Examination)

    expect(found).toMatchObject([
      {
        level: 'problem',
        what: expect.stringMatching(/^\/proc\/state\/kk cannot be written \(E(NOENT|ACCES)\)/),
      },
    ])
  })
})
