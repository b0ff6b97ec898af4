import {describe, expect, it} from 'vitest'
import {atNight} from '../support/night.ts'
import {atWork, deploy, hooked, installing, whileWaiting} from './support/at-work.ts'
import {openCorner} from './support/corner.ts'
import {records} from './support/snapshot.ts'

describe.concurrent('a concurrent run of kk', () => {
  const AT_WORK = /hooked: \S+@\S+ \(process \d+, run \S+\) is working on it \(helm \w+\): waiting for it\n/g

  it('is awaited with a report of its holder; --no-wait and a dry run are refused', async () => {
    const corner = await openCorner(installing('30s'))
    const work = await atWork(corner)
    await work.signalHelm('SIGSTOP')

    const refused = [
      await corner.kk(['deploy', 'env.yaml', '--no-wait']),
      await corner.kk(['deploy', 'env.yaml', '--dry-run']),
      await corner.kk(['remove', 'env.yaml', 'hooked', '--yes', '--no-wait']),
    ]
    const {next, said} = await whileWaiting(corner, ['deploy', 'env.yaml'], () => work.signalHelm('SIGCONT'))
    const first = await work.run.ended()

    expect(refused.map(({exitCode}) => exitCode)).toEqual([3, 3, 3])
    for (const {stderr} of refused)
      expect(stderr).toMatch(/KK_PENDING: \S+ is pending-install at revision 1: helm \(process \d+\) of run/)
    expect(said.match(AT_WORK), said).toHaveLength(1)
    expect([first.exitCode, next.exitCode], said).toEqual([0, 0])
    expect(await records(corner.name)).toEqual(['hooked 1 deployed'])
  })

  const waiting = [
    {words: ['upgrade', 'env.yaml', 'hooked'], last: 'hooked 2 deployed'},
    {words: ['rollback', '--release', 'hooked', '--revision', '1', 'env.yaml'], last: 'hooked 3 deployed'},
    {words: ['remove', 'env.yaml', 'hooked'], last: undefined},
    {words: ['destroy', 'env.yaml', '--confirm', 'NAME'], last: undefined},
  ] as const
  const isWaitedFor = async ({words, last}: (typeof waiting)[number]) => {
    const content = {hook: 'post-upgrade', time: '30s'}
    const corner = await openCorner(hooked(content))
    await deploy(corner)
    await corner.write('env.yaml', hooked({...content, replicas: 2}))
    const work = await atWork(corner, {until: 'hooked 2 pending-upgrade'})
    await work.signalHelm('SIGSTOP')

    const named = words.map((word) => word.replace('NAME', corner.name))
    const {next, said} = await whileWaiting(corner, [...named, '--yes'], () => work.signalHelm('SIGCONT'))
    await work.run.ended()

    expect(said.match(AT_WORK), said).toHaveLength(1)
    expect(next.exitCode, said).toBe(0)
    expect((await records(corner.name)).toSorted().at(-1)).toBe(last)
  }
  const title = 'is awaited by kk $words.0'
  atNight(() => {
    it.each(waiting)(title, isWaitedFor)
  })
})
