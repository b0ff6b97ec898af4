import {beforeAll, describe, expect, it} from 'vitest'
import {python, servicesNext, servicesUp} from '../support/catalogue.ts'
import {inClient} from '../support/client.ts'
import {succeed} from '../support/cloud.ts'
import {machine} from '../support/machines.ts'

/** Every half minute, where the package says five. */
const OFTEN = {
  ceilometer: {conf: {polling: {sources: [{name: 'kk', interval: 30, meters: ['cpu']}]}}},
}

beforeAll(async () => {
  await servicesUp(['valkey', 'gnocchi', 'aodh', 'ceilometer'], OFTEN)
  await machine()
})

describe('ceilometer, gnocchi: a running machine', () => {
  it('is measured: samples from libvirt arrive in gnocchi', async () => {
    const said = await inClient(
      python(`
        server = openstack.connect().compute.find_server("first").id


        def measures():
            found = session.get("/v1/resource/instance/%s/metric/cpu/measures?refresh=true" % server, raise_exc=False, **where("metric"))
            return found.status_code == 200 and found.json()


        print(wait(measures)[-1][2])
      `),
    )

    expect(Number(said)).toBeGreaterThan(0)
  })
})

describe('aodh: an alarm', () => {
  it('is triggered by a running machine, and clears when the threshold is out of reach', async () => {
    const said = await inClient(
      python(`
        server = openstack.connect().compute.find_server("first").id
        rule = {
            "resource_type": "instance", "resource_id": server, "metric": "cpu", "aggregation_method": "mean",
            "comparison_operator": "ge", "threshold": 1, "evaluation_periods": 1, "granularity": 300,
        }
        alarm = {"name": "kk-alarm", "type": "gnocchi_resources_threshold", "gnocchi_resources_threshold_rule": rule}
        path = "/v2/alarms/" + session.post("/v2/alarms", json=alarm, **where("alarming")).json()["alarm_id"]


        def becomes(state):
            wait(lambda: session.get(path + "/state", **where("alarming")).json() == state, 900)
            print(state)


        try:
            becomes("alarm")
            # As aodh has it: without the time of its last evaluation it would not be evaluated again.
            alarm = session.get(path, **where("alarming")).json()
            # In nanoseconds: more than any machine has had.
            alarm["gnocchi_resources_threshold_rule"]["threshold"] = 1e18
            session.put(path, json=alarm, **where("alarming"))
            becomes("ok")
        finally:
            session.delete(path, **where("alarming"))
      `),
    )

    expect(said.trim().split('\n')).toEqual(['alarm', 'ok'])
  })
})

describe('ceilometer: a running machine', () => {
  it('is also measured by the next OpenStack release', async () => {
    const file = await servicesNext(['ceilometer'], OFTEN)
    const seen = new Set<string>()
    const measure = async () => {
      const last = await inClient(
        python(`
          server = openstack.connect().compute.find_server("first").id
          found = session.get("/v1/resource/instance/%s/metric/cpu/measures?refresh=true" % server, **where("metric"))
          print(found.json()[-1])
        `),
      )
      return seen.add(last).size
    }

    // One, or two, may be of the agent before.
    await expect.poll(measure, {timeout: 300_000, interval: 5_000}).toBeGreaterThan(3)

    // Other tests begin with the release of the environment.
    await succeed(['remove', file, 'ceilometer', '--yes'])
  })
})
