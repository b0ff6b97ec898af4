import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {load} from 'js-yaml'
import {expect, it} from 'vitest'
import type {Values} from '../../src/base/values.ts'
import {generateSecret} from '../../src/overrides/generate-secret.ts'
import {makeAuthority} from '../../src/overrides/tls/authority.ts'
import {certifier} from '../../src/overrides/tls/certificates.ts'
import {useCharts} from '../own-charts/support/charts.ts'
import {pods, workloads} from '../own-charts/support/objects.ts'
import {CONFIG, containerOf} from './support/container.ts'
import {releasesOf} from './support/images.ts'
import {API, environmentOf, KEYSTONE} from './support/keystone.ts'
import {startOf} from './support/start-of.ts'

const charts = await useCharts()

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/ldap.md'), 'utf8')
const [, block = ''] = /```yaml\n(keystone:\n.*?)```/s.exec(PAGE) ?? []
const {keystone} = load(block) as {readonly keystone: Values}

const AUTHORITY = makeAuthority()
const KEY = generateSecret('server')
const TLS = {...certifier(AUTHORITY).certificate(['ldap.example.org'], KEY), 'tls.key': KEY}

const SLAPD = `include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
TLSCertificateFile ${CONFIG}/tls.crt
TLSCertificateKeyFile ${CONFIG}/tls.key
pidfile /tmp/slapd.pid
disallow bind_anon
database mdb
suffix dc=example,dc=org
directory /srv/ldap
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact=cn=keystone,ou=services,dc=example,dc=org read by * none
`

const PEOPLE = `dn: dc=example,dc=org
objectClass: domain
dc: example

dn: ou=services,dc=example,dc=org
objectClass: organizationalUnit
ou: services

dn: cn=keystone,ou=services,dc=example,dc=org
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: keystone
userPassword: of-the-account

dn: ou=people,dc=example,dc=org
objectClass: organizationalUnit
ou: people

dn: uid=ada,ou=people,dc=example,dc=org
objectClass: inetOrgPerson
uid: ada
cn: Ada Lovelace
sn: Lovelace
mail: ada@example.org
userPassword: of-ada

dn: uid=bob,ou=people,dc=example,dc=org
objectClass: inetOrgPerson
uid: bob
cn: Bob
sn: Bob
userPassword: of-bob

dn: ou=groups,dc=example,dc=org
objectClass: organizationalUnit
ou: groups

dn: cn=researchers,ou=groups,dc=example,dc=org
objectClass: groupOfNames
cn: researchers
member: uid=ada,ou=people,dc=example,dc=org
`

/** The directory answers only by TLS, with a certificate of an authority that the image learns. */
const DIRECTORY = `
echo '127.0.0.1 localhost ldap.example.org' >>/etc/hosts
cat ${CONFIG}/ca.crt >>/etc/ssl/certs/ca-certificates.crt
mkdir -p /srv/ldap
slapadd -f ${CONFIG}/slapd.conf -l ${CONFIG}/people.ldif
slapd -f ${CONFIG}/slapd.conf -h ldaps:/// -d 0 2>/tmp/slapd.log &
`

/** What docs/ldap.md has the deployer do once the API runs, and then what people of the directory do. */
const PEOPLE_LOG_IN = `
from keystone_api import *
domain = call("POST", "/domains", {"domain": {"name": "corp"}})["domain"]["id"]
restart()
users = call("GET", "/users?domain_id=" + domain)["users"]
print("users:", sorted((user["name"], user.get("email")) for user in users))
(group,) = call("GET", "/groups?name=researchers&domain_id=" + domain)["groups"]
project = call("POST", "/projects", {"project": {"name": "research", "domain_id": domain}})["project"]["id"]
(role,) = call("GET", "/roles?name=member")["roles"]
call("PUT", "/projects/%s/groups/%s/roles/%s" % (project, group["id"], role["id"]))

def login(name, password, domain="corp", scope={"name": "research", "domain": {"name": "corp"}}):
    user = {"name": name, "password": password, "domain": {"name": domain}}
    try:
        token = log_in(user, {"project": scope})[1]
        return token["user"]["name"], token["project"]["name"], [role["name"] for role in token["roles"] if role["name"] == "member"]
    except urllib.error.HTTPError as error:
        return error.code

print("ada:", login("ada", "of-ada"))
print("ada with another password:", login("ada", "of-bob"))
print("bob, who is not in the group:", login("bob", "of-bob"))
print("the administrator:", log_in(ADMIN, PROJECT)[1]["user"]["domain"]["name"])
`

it.each(releasesOf('keystone'))(
  'people of a directory log in to $name with what docs/ldap.md says',
  {timeout: 2_000_000},
  async (image) => {
    const objects = await charts.render('keystone', {values: keystone})
    const [{spec}] = pods(workloads(objects)) as [ReturnType<typeof pods>[number]]
    const [unit] = spec.containers
    const container = await containerOf(image)
    const installed = await container.run('install-packages slapd', {user: 'root', timeout: 300})
    expect(installed.exitCode, installed.says).toBe(0)
    const placed = await container.configure({
      ...startOf(objects, spec, unit!).files,
      ...TLS,
      ...{
        'slapd.conf': SLAPD,
        'people.ldif': PEOPLE,
        'keystone_api.py': KEYSTONE,
        'people.py': PEOPLE_LOG_IN,
      },
    })
    expect(placed.exitCode, placed.says).toBe(0)

    const {exitCode, says} = await container.run(`${API}${DIRECTORY}python3 ${CONFIG}/people.py`, {
      env: environmentOf(objects, unit!, {'keystone-ldap': {password: 'of-the-account'}}),
      user: 'root',
      isAlone: true,
      timeout: 1400,
    })

    expect(exitCode, says).toBe(0)
    expect(says).toContain("users: [('ada', 'ada@example.org'), ('bob', None)]")
    expect(says).toContain("ada: ('ada', 'research', ['member'])")
    expect(says).toContain('ada with another password: 401')
    expect(says).toContain('bob, who is not in the group: 401')
    expect(says).toContain('the administrator: Default')
  },
)
