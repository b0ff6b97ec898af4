import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import type {AuditReport} from '../../../src/verbs/audit.ts'
import {kubectl} from '../../aio/support/node.ts'
import {inClient} from '../support/client.ts'
import {cloudUp, NAMESPACE, onCloud} from '../support/cloud.ts'
import {machine, smallFlavors} from '../support/machines.ts'
import {cloudFile} from '../support/next-release.ts'
import {phase} from '../support/phase.ts'
import {type OwnObjects, PODS, plantedKinds, scriptsOf} from '../support/planted.ts'

const SERVER = 'audited'
const VOLUMES = [1, 2, 3, 4, 5].map((number) => `${SERVER}-${number}`)

let own: OwnObjects | undefined
let removeFlavors: () => Promise<unknown>
beforeAll(async () => {
  await cloudUp()
  await phase('a machine answers', machine)
  removeFlavors = await smallFlavors()
  own = await phase('objects to plant in', makeOwn)
})

afterAll(async () => {
  if (own) await plantOrRemove('remove')
  await inClient(REMOVE)
  await removeFlavors?.()
})

const REMOVE = `
  openstack server delete --wait ${SERVER} 2>/dev/null || true
  openstack port delete ${SERVER} 2>/dev/null || true
  for each in ${VOLUMES.join(' ')}; do openstack volume delete $each 2>/dev/null || true; done`

/** A server, a port without a server, and volumes, one of them deleted. */
async function makeOwn(): Promise<OwnObjects> {
  const id = '--format value --column id'
  const printed = await inClient(`
    ${REMOVE}
    for each in ${VOLUMES.join(' ')} ${SERVER}-gone; do openstack volume create --size 1 $each ${id}; done
    openstack port create --network first ${SERVER} ${id}
    openstack server create --image guest --flavor kk-less --network first --wait ${SERVER} ${id} | grep -v '^$'
    openstack volume delete ${SERVER}-gone`)
  const ids = printed.split('\n')
  const [volumes, [goneVolume, freePort, server]] = [ids.slice(0, 5), ids.slice(5)]
  await inClient(`until ! openstack volume show ${goneVolume} >/dev/null 2>&1; do :; done`)
  return {server: server!, freePort: freePort!, volumes, goneVolume: goneVolume!}
}

/** A removal goes on past what is gone already. */
async function plantOrRemove(part: 'plant' | 'remove'): Promise<void> {
  for (const [pod, script] of scriptsOf(plantedKinds(own!), part)) {
    const shell = ['exec', '--stdin', '--namespace', NAMESPACE, PODS[pod], '--', 'bash', '-s']
    await kubectl(shell, part === 'plant' ? `set -e\n${script}` : `${script}\nexit 0`)
  }
}

async function audit(...flags: readonly string[]) {
  const {stdout, stderr, exitCode} = await phase('audited', async () =>
    onCloud(['audit', await cloudFile(), '--output', 'json', ...flags]),
  )
  expect(stdout, stderr).not.toBe('')
  return {exitCode, report: JSON.parse(stdout) as AuditReport}
}

/** Servers that are made, changed and deleted until the signal. */
async function keepBusy(signal: AbortSignal): Promise<number> {
  const actions = ['stop', 'pause', 'suspend', 'shelve', 'reboot --hard']
  let rounds = 0
  while (!signal.aborted) {
    const action = actions[rounds++ % actions.length]
    await inClient(`
      openstack server create --image guest --flavor kk-less --network first --wait busy >/dev/null
      openstack volume create --size 1 busy >/dev/null
      until [ "$(openstack volume show busy --format value --column status)" = available ]; do :; done
      openstack server add volume busy busy >/dev/null
      openstack server ${action} busy
      until [ "$(openstack server show busy --format value --column OS-EXT-STS:task_state)" = None ]; do :; done
      openstack server delete --wait busy
      until [ "$(openstack volume show busy --format value --column status)" = available ]; do :; done
      openstack volume delete busy`)
  }
  return rounds
}

describe('kk audit', () => {
  it('finds nothing in ten runs while servers are made, changed and deleted', async () => {
    const stop = new AbortController()
    const tenAudits = async () => {
      const results: Awaited<ReturnType<typeof audit>>[] = []
      for (let run = 0; run < 10; run++) results.push(await audit())
      return results
    }

    const [results, rounds] = await Promise.all([
      tenAudits().finally(() => stop.abort()),
      keepBusy(stop.signal),
    ])

    expect(rounds).toBeGreaterThan(0)
    for (const {exitCode, report} of results) {
      expect({exitCode, findings: report.findings, notAsked: report.notAsked}).toEqual({
        ...{exitCode: 0, findings: [], notAsked: []},
      })
    }
  })

  it('finds and names each planted inconsistency, and repairs the safe ones', async () => {
    const planted = plantedKinds(own!)
    await phase('planted', () => plantOrRemove('plant'))

    const {exitCode, report} = await audit('--detailed-exitcode')

    expect(exitCode).toBe(4)
    for (const {kind, id} of planted) {
      const named = report.findings.filter((each) => each.kind === kind && each.ids.includes(id))
      expect(named, `${kind} ${id}: ${report.findings.map((each) => each.what).join('\n')}`).toHaveLength(1)
    }

    await phase('repaired', () => audit('--repair', '--yes'))
    const {report: repaired} = await audit()
    const left = new Set(repaired.findings.map(({kind}) => kind))
    for (const {kind} of report.findings.filter(({safe}) => safe)) expect(left).not.toContain(kind)
    expect(left).toContain('DISK_WITHOUT_SERVER')

    await plantOrRemove('remove')
    expect((await audit()).report.findings).toEqual([])
  })

  it('changes nothing with --dry-run, and needs --yes without a terminal', async () => {
    const flags = ['audit', await cloudFile(), '--repair']
    await plantOrRemove('plant')

    const dry = await onCloud([...flags, '--dry-run'])
    const unconfirmed = await onCloud(flags)
    const {report} = await audit()
    await plantOrRemove('remove')

    expect(dry.stderr).toContain('SchedulerReportClient().delete(')
    expect([dry.exitCode, unconfirmed.exitCode]).toEqual([1, 3])
    expect(report.findings.map(({kind}) => kind)).toContain('ORPHAN_ALLOCATION')
  })
})
