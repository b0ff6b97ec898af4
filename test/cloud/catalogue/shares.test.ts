import {beforeAll, describe, expect, it} from 'vitest'
import {python, servicesUp} from '../support/catalogue.ts'
import {inClient} from '../support/client.ts'

beforeAll(() => servicesUp(['valkey', 'manila']))

describe('manila', () => {
  it('makes a share on CephFS, grants it to a client of Ceph, and lists it', async () => {
    const said = await inClient(
      python(`
        def ask(method, path, body=None):
            answer = session.request(path, method, json=body, headers={"X-OpenStack-Manila-API-Version": "2.60"}, **where("sharev2"))
            return answer.json() if answer.content else None


        def status():
            share = ask("GET", path)["share"]
            assert share["status"] != "error", share
            return share["status"] == "available"


        order = {"name": "kk-share", "share_proto": "CEPHFS", "size": 1, "share_type": "cephfs"}
        path = "/shares/" + ask("POST", "/shares", {"share": order})["share"]["id"]
        try:
            wait(status)
            places = [place["path"] for place in ask("GET", path + "/export_locations")["export_locations"]]
            print(places[0].split(":")[-1].split("/")[1])
            access = {"access_type": "cephx", "access_to": "kk-client", "access_level": "rw"}
            given = ask("POST", path + "/action", {"allow_access": access})["access"]["id"]


            def key():
                rule = ask("GET", "/share-access-rules/" + given)["access"]
                assert rule["state"] != "error", rule
                return rule["state"] == "active" and rule["access_key"]


            print(len(wait(key)))
            print([share["name"] for share in ask("GET", "/shares")["shares"]])
        finally:
            ask("DELETE", path)
        wait(lambda: not ask("GET", "/shares")["shares"])
      `),
    )

    expect(said.trim().split('\n')).toEqual(['volumes', '40', "['kk-share']"])
  })
})
