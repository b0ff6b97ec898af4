import {beforeAll, describe, expect, it} from 'vitest'
import {dedent, python, servicesNext, servicesUp} from '../support/catalogue.ts'
import {inClient} from '../support/client.ts'
import {succeed} from '../support/cloud.ts'

beforeAll(() => servicesUp(['valkey', 'manila']))

/** What a program prints that can `ask` the API of shares. */
const said = (program: string) =>
  inClient(
    python(`
def ask(method, path, body=None):
    answer = session.request(path, method, json=body, headers={"X-OpenStack-Manila-API-Version": "2.60"}, **where("sharev2"))
    return answer.json() if answer.content else None


def ordered(name):
    """The path of a new share of this name."""
    order = {"name": name, "share_proto": "CEPHFS", "size": 1, "share_type": "cephfs"}
    return "/shares/" + ask("POST", "/shares", {"share": order})["share"]["id"]


def await_share(path):
    def is_there():
        share = ask("GET", path)["share"]
        assert share["status"] != "error", share
        return share["status"] == "available"

    wait(is_there)


def granted(path, name):
    """The key of a client of Ceph that may use a share."""
    access = {"access_type": "cephx", "access_to": name, "access_level": "rw"}
    given = ask("POST", path + "/action", {"allow_access": access})["access"]["id"]

    def key():
        rule = ask("GET", "/share-access-rules/" + given)["access"]
        assert rule["state"] != "error", rule
        return rule["state"] == "active" and rule["access_key"]

    return wait(key)


def names():
    return [share["name"] for share in ask("GET", "/shares")["shares"]]


${dedent(program)}
`),
  )

describe('manila', () => {
  it('creates a share on CephFS, grants a Ceph client access, and lists it', async () => {
    const answers = await said(`
      path = ordered("kk-share")
      try:
          await_share(path)
          places = [place["path"] for place in ask("GET", path + "/export_locations")["export_locations"]]
          print(places[0].split(":")[-1].split("/")[1])
          print(len(granted(path, "kk-client")))
          print(names())
      finally:
          ask("DELETE", path)
      wait(lambda: not names())
    `)

    expect(answers.trim().split('\n')).toEqual(['volumes', '40', "['kk-share']"])
  })

  it('keeps its shares in the next OpenStack release, and continues to serve them', async () => {
    await said('await_share(ordered("kk-kept"))')

    const file = await servicesNext(['manila'])

    const answers = await said(`
      print(names())
      kept = "/shares/" + ask("GET", "/shares")["shares"][0]["id"]
      print(len(granted(kept, "kk-late")))
      await_share(ordered("kk-next"))
      print(sorted(names()))
      for share in ask("GET", "/shares")["shares"]:
          ask("DELETE", "/shares/" + share["id"])
      wait(lambda: not names())
    `)
    expect(answers.trim().split('\n')).toEqual(["['kk-kept']", '40', "['kk-kept', 'kk-next']"])
    // Other tests begin with the release of the environment, and no database goes back.
    await succeed(['remove', file, 'manila', '--purge', '--confirm', 'manila', '--yes'])
  })
})
