import {expect, it} from 'vitest'
import {microservices} from '../../src/exchange/kolla/microservices.ts'
import {SERVICES, useCharts} from './support/charts.ts'

const charts = await useCharts()

it("every microservice of kolla-kubernetes is an object of kk's charts, or has a reason for its absence", async () => {
  const rendered = await Promise.all(
    SERVICES.map(async (chart) =>
      (await charts.render(chart)).map(({kind, metadata}) => {
        // The name of a Job ends in a hash of what it does.
        const name = kind === 'Job' ? metadata.name.replace(/-[0-9a-f]{8}$/, '') : metadata.name
        return `${chart}: ${kind}/${name}`
      }),
    ),
  )
  const objects = new Set(rendered.flat())

  const all = microservices()
  const absent = all.filter(
    ({object}) => object && !objects.has(`${object.release}: ${object.kind}/${object.name}`),
  )
  expect(all).toHaveLength(180)
  expect(new Set(all.map(({name}) => name)).size).toBe(180)
  expect(absent).toEqual([])
  expect(all.filter(({object, why}) => (object === undefined) === (why === undefined))).toEqual([])
})
