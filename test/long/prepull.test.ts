import {describe, expect, it} from 'vitest'
import {kubectl} from '../e2e/support/cluster.ts'
import {makeEnvironment, workloads} from '../e2e/support/environment.ts'

const TWO = workloads({
  first: {values: {image: 'registry.example.org/first:1', pod: {'ready-after': '4s'}}},
  later: {requires: ['first'], values: {image: 'registry.example.org/later:1'}},
})

describe.concurrent('kk deploy', () => {
  it('--prepull pulls images during the run, reports that at its end, and leaves no objects', async () => {
    const environment = await makeEnvironment({content: TWO})

    const {exitCode, stderr} = await environment.kk('deploy', '--prepull')

    expect(exitCode, stderr).toBe(0)
    // Nodes of the throwaway cluster pull nothing: how many are done is not theirs to say.
    expect(stderr).toMatch(/^pulled .*1 image of later releases to \d+ nodes? ahead/m)
    const jobs = await kubectl(['get', 'jobs', '--namespace', environment.name, '--output', 'name'])
    expect(jobs).toBe('')
  })

  const pullsNothing = async (...flags: readonly string[]) => {
    const environment = await makeEnvironment({content: TWO})

    const {exitCode, stderr} = await environment.kk('deploy', ...flags)

    expect(exitCode, stderr).toBe(0)
    expect(stderr).not.toContain('of later releases')
  }
  it('pulls no images ahead on other clusters by default', () => pullsNothing())
  it('pulls no images ahead with --no-prepull', () => pullsNothing('--no-prepull'))
})
