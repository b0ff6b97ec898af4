import {mkdir, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {describe, expect, it} from 'vitest'
import {testDirectory} from '../support/test-directory.ts'

/** A cloud in memory behind openstacksdk, of which the test plays the faults; it logs what is deleted. */
const CLOUD = `
import os, signal, sys, time
from types import SimpleNamespace as Thing
from . import exceptions

SCENE = os.environ["SCENE"]
now = [0]
time.sleep = lambda seconds: now.__setitem__(0, now[0] + seconds)
time.monotonic = lambda: now[0]
projects, users, images, networks, ports, flavors, servers = [[] for _ in range(7)]
listed, refused, polls = [], [], []


def log(*words):
    with open(os.environ["LOG"], "a") as text:
        text.write(" ".join(words) + "\\n")


def make(things, what):
    def create(*_, **facts):
        thing = Thing(id="%s-%d" % (what, len(things)), status="active", min_ram=0, min_disk=0, device_owner="", **facts)
        things.append(thing)
        return thing
    return create


def delete(things, what):
    def remove(thing):
        log("delete", what)
        things.remove(thing)
    return remove


def get(things):
    def find(id):
        for each in things:
            if each.id == id:
                return each
        raise exceptions.NotFoundException(id)
    return find


def create_server(**facts):
    if SCENE == "interrupted":
        os.kill(os.getpid(), signal.SIGTERM)
    server = Thing(id="server-0", status="ACTIVE", addresses={"net": [{"addr": "192.0.2.2"}]}, **facts)
    servers.append(server)
    ports.append(Thing(id="port-0", name="", device_owner="compute:nova", device_id=server.id))
    return server


def list_servers():
    listed.append(True)
    return [] if SCENE == "late" and len(listed) == 1 else list(servers)


def delete_server(server):
    if SCENE == "stays" or (SCENE == "refused" and not refused):
        refused.append(True)
        raise RuntimeError("503")
    log("delete server")
    server.status = "deleting"


def get_server(id):
    server = get(servers)(id)
    if server.status == "deleting":
        polls.append(True)
        if len(polls) > 3:
            log("end of server")
            servers.remove(server)
    return server


disk = []


def create_image(data, **facts):
    disk.append(data.read())
    return make(images, "image")(**facts)


def console(id):
    return {"output": next(each.name for each in servers) + " has started"}


def find_role(name):
    return None if SCENE == "no roles" else Thing(name=name)


def connect(**options):
    if SCENE == "no roles" and "auth" in options:
        raise RuntimeError("401")
    entry = lambda type, region: {"type": type, "endpoints": [{"region_id": region}]}
    catalog = [entry(type, "one") for type in ("identity", "image", "compute", "network")] + [entry("volumev3", "two")]
    access = Thing(user_domain_id="default", service_catalog=Thing(catalog=catalog))
    there = lambda **wanted: [each for each in projects if wanted.get("name") in (None, each.name)]
    return Thing(
        authorize=lambda: None,
        session=Thing(auth=Thing(get_access=lambda _: access)),
        identity=Thing(
            create_project=make(projects, "project"), projects=there, delete_project=delete(projects, "project"),
            create_user=make(users, "user"), find_user=lambda *_, **__: next(iter(users), None), delete_user=delete(users, "user"),
            find_role=find_role, assign_project_role_to_user=lambda *_: None),
        image=Thing(
            create_image=create_image, get_image=get(images), images=lambda **_: list(images),
            download_image=lambda _: Thing(content=disk[0]), delete_image=delete(images, "image")),
        network=Thing(
            create_network=make(networks, "network"), create_subnet=lambda **_: None, networks=lambda **_: list(networks),
            ports=lambda **_: list(ports), delete_port=delete(ports, "port"), delete_network=delete(networks, "network"),
            security_groups=lambda **_: [], delete_security_group=None),
        compute=Thing(
            create_flavor=make(flavors, "flavor"), flavor_add_tenant_access=lambda *_: None,
            flavors=lambda **_: list(flavors), delete_flavor=delete(flavors, "flavor"),
            create_server=create_server, get_server=get_server, servers=list_servers, delete_server=delete_server,
            get_server_console_output=console))
`
const EXCEPTIONS = 'class NotFoundException(Exception):\n    pass\n'
const TYPES = `
class ServiceTypes:
    def get_service_type(self, name):
        return {"volumev3": "block-storage"}.get(name, name)
`
const TEMPLATE = join(import.meta.dirname, '../../charts/keystone/templates/_user-test.tpl')

/** Runs the script of the chart in a cloud with a fault. */
async function run(scene: string) {
  const directory = testDirectory()
  const [, script = ''] = /define "common\.scripts\.user-test\.py" -\}\}\n(.*)\{\{ end/s.exec(
    await readFile(TEMPLATE, 'utf8'),
  )!
  await mkdir(join(directory, 'openstack'))
  await writeFile(join(directory, 'openstack/__init__.py'), CLOUD)
  await writeFile(join(directory, 'openstack/exceptions.py'), EXCEPTIONS)
  await writeFile(join(directory, 'os_service_types.py'), TYPES)
  await writeFile(join(directory, 'user-test.py'), script)
  const env = {SCENE: scene, LOG: join(directory, 'log'), OS_REGION_NAME: 'one', OS_AUTH_URL: 'http://x'}
  const {exitCode, stdout} = await execa('python3', [join(directory, 'user-test.py')], {env, reject: false})
  const log = await readFile(env.LOG, 'utf8').catch(() => '')
  const calls = log.split('\n').filter((line) => line !== '')
  return {exitCode, stdout, calls}
}

const ALL = [
  ...['delete server', 'end of server', 'delete image', 'delete flavor', 'delete port', 'delete network'],
  ...['delete user', 'delete project'],
]

describe('the test that does what a user does', () => {
  it('deletes its server, and its ports and networks when the server is gone', async () => {
    const {exitCode, stdout, calls} = await run('works')

    expect(calls).toEqual(ALL)
    expect(stdout).toContain('\nok 4 - server\n')
    expect(exitCode).toBe(0)
  })

  it('skips the services of other regions', async () => {
    const {stdout} = await run('works')

    expect(stdout).toContain('ok 5 - volume # SKIP the catalogue has no block-storage')
  })

  it('keeps the ports of a server whose deletion is refused, until it is gone', async () => {
    const {exitCode, calls} = await run('refused')

    expect(calls.filter((call) => /server|port|network/.test(call))).toEqual(
      ALL.filter((call) => /server|port|network/.test(call)),
    )
    expect(exitCode).toBe(0)
  })

  it('keeps the ports of a server that stays, and its project', async () => {
    const {exitCode, stdout, calls} = await run('stays')

    expect(calls.filter((call) => /port|network|project/.test(call))).toEqual([])
    expect(stdout).toMatch(/not ok 11 - removal.*project kk-test-\S+ stays.*compute: 503/s)
    expect(exitCode).toBe(1)
  })

  it.each([
    ['is interrupted while nova creates its server', 'interrupted', 1],
    ['has a server that the first list lacks', 'late', 0],
  ])('deletes the server before its port if it %s', async (_, scene, code) => {
    const {exitCode, calls} = await run(scene)

    expect(calls.filter((call) => /server|port|network|project/.test(call))).toEqual(
      ALL.filter((call) => /server|port|network|project/.test(call)),
    )
    expect(exitCode).toBe(code)
  })

  it('removes its project if its user got no roles', async () => {
    const {exitCode, calls} = await run('no roles')

    expect(calls).toEqual(['delete user', 'delete project'])
    expect(exitCode).toBe(1)
  })
})
