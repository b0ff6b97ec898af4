import {beforeAll, describe, expect, it} from 'vitest'
import {cloud, RELEASES} from './support/cloud.ts'
import {killAtTransition, killOfHelm, liveThroughKills} from './support/kill.ts'
import {type Reference, undisturbed} from './support/life.ts'
import {seedOfRun, throwDice} from './support/seed.ts'

const SEED = seedOfRun()
const dice = throwDice(SEED)
/** Of the longest journal: the run's two, and five of each release. */
const TRANSITIONS = 2 + 5 * RELEASES.length
const ALL = Array.from({length: TRANSITIONS}, (_, index) => index + 1)
const HELM_LIVES = Array.from({length: 6}, (_, index) => index + 1)

describe(`an environment after kills (KK_TEST_SEED=${SEED})`, () => {
  let reference: Reference

  beforeAll(async () => {
    reference = await undisturbed(cloud)
  })

  it('has the known number of transitions', () => {
    expect(reference.transitions).toEqual({
      deploy: TRANSITIONS,
      upgrade: TRANSITIONS,
      rollback: TRANSITIONS,
      remove: TRANSITIONS - RELEASES.length,
    })
  })

  it.concurrent.each(ALL)(
    'is repaired by one command after each kill at transition %i',
    async (transition) => {
      const own = dice.for(`transition ${transition}`)
      await liveThroughKills({
        content: cloud,
        reference,
        killAt: killAtTransition(own, transition, reference, RELEASES),
      })
    },
  )

  it.concurrent.each(HELM_LIVES)(
    'is repaired by one command after each kill of a helm, sequence %i',
    async (life) => {
      const own = dice.for(`helm ${life}`)
      await liveThroughKills({content: cloud, reference, killAt: () => killOfHelm(own, RELEASES)})
    },
  )
})
