import {expect, it} from 'vitest'
import {generateSecret} from '../../src/overrides/generate-secret.ts'
import {makeAuthority} from '../../src/overrides/tls/authority.ts'
import {certifier} from '../../src/overrides/tls/certificates.ts'
import {useCharts} from '../own-charts/support/charts.ts'
import {find, secret} from '../own-charts/support/objects.ts'
import {type Container, containerOf} from './support/container.ts'
import {imageOf} from './support/images.ts'

const charts = await useCharts()

const FIRST = makeAuthority()
const KEY = generateSecret('server')
const certificateOf = (authority: string) => ({
  ...certifier(authority).certificate(['localhost', '127.0.0.1'], KEY),
  'tls.key': KEY,
})

/**
 * What the scripts below share: certificates in their place, for a server that runs as a user, and the
 * fingerprint of the one in use.
 */
const SHELL = `set -eu
give() {
  mkdir -p /etc/tls
  for name in ca.crt tls.crt tls.key; do
    install -m 440 -g "$2" "/var/lib/kolla/config_files/$1.$name" "/etc/tls/.$name" && mv "/etc/tls/.$name" "/etc/tls/$name"
  done
}
as() { setpriv --reuid="$1" --regid="$1" --init-groups "\${@:2}"; }
served() { echo | openssl s_client "$@" 2>/dev/null | openssl x509 -noout -fingerprint; }
expected() { openssl x509 -noout -fingerprint -in "/var/lib/kolla/config_files/$1.tls.crt"; }
until_() { for _ in $(seq 120); do "$@" >/dev/null 2>&1 && return; sleep 1; done; echo "never: $*"; return 1; }
is_served() { [ "$(served "\${@:2}")" = "$(expected "$1")" ]; }
refused() { if "$@"; then echo "not refused: $*"; return 1; fi; }
`

/**
 * Places the files of an authority and of the one after a rotation, with those of a rendered chart, and runs
 * a script beside nobody.
 */
async function run(
  container: Container,
  texts: Readonly<Record<string, string>>,
  script: string,
): Promise<string> {
  const named = (name: string, files: ReturnType<typeof certificateOf>) =>
    Object.entries(files).map(([file, text]) => [`${name}.${file}`, text] as const)
  const rotated = makeAuthority(FIRST)
  await container.configure({
    'config.json': {command: 'true'},
    ...texts,
    ...Object.fromEntries([
      ...named('first', certificateOf(FIRST)),
      ...named('next', certificateOf(rotated)),
    ]),
  })
  const {exitCode, says} = await container.run(SHELL + script, {user: 'root', isAlone: true, timeout: 400})
  expect(exitCode, says).toBe(0)
  return says
}

/** The texts of a ConfigMap of a chart that is rendered with TLS inside. */
async function texts(chart: string, map: string): Promise<Readonly<Record<string, string>>> {
  const files = certificateOf(FIRST)
  const objects = await charts.render(chart, {values: {tls: {internal: true, files}}})
  return find(objects, 'ConfigMap', map).data!
}

it('MariaDB rejects clear-text connections, and reloads a new certificate without a restart', {
  timeout: 600_000,
}, async () => {
  const container = await containerOf(imageOf('mariadb-server'))
  const scripts = await texts('mariadb', 'mariadb-bin')
  const options = /node \+= \[("--ssl-cert=.*)\]/
    .exec(scripts['mariadb-start.py']!)![1]!
    .replaceAll(/[",]/g, '')
  const renew = /^[\s\S]*?renew &$/m.exec(scripts['mariadb-member.sh']!)![0]

  const says = await run(
    container,
    {'renew.sh': `${renew}\nwait\n`},
    `give first mysql
    install -d -o mysql /run/mysqld /var/lib/mysql
    as mysql mariadb-install-db --datadir=/var/lib/mysql --skip-test-db >/dev/null
    as mysql mariadbd --datadir=/var/lib/mysql --port=3306 --bind-address=127.0.0.1 ${options} 2>/dev/null &
    until_ mariadb-admin --user=root --skip-ssl-verify-server-cert ping
    mariadb --user=root --skip-ssl-verify-server-cert --execute="CREATE USER c@'%' IDENTIFIED BY 'p'"
    printf '[client]\\nssl-verify-server-cert=OFF\\n' >/etc/mysql/my.cnf
    export MYSQL_PWD=p
    mariadb --host=127.0.0.1 --user=c --ssl-ca=/etc/tls/ca.crt --ssl-verify-server-cert --execute="SHOW STATUS LIKE 'Ssl_version'"
    refused mariadb --host=127.0.0.1 --user=c --skip-ssl --execute='SELECT 1'
    bash /var/lib/kolla/config_files/renew.sh &
    is_served first -starttls mysql -connect 127.0.0.1:3306
    give next mysql
    until_ is_served next -starttls mysql -connect 127.0.0.1:3306
    kill $(jobs -p)`,
  )

  expect(says).toContain('TLSv1.3')
  expect(says).toContain('Connections using insecure transport are prohibited')
})

it('RabbitMQ rejects clear-text connections, and reloads a new certificate without a restart', {
  timeout: 600_000,
}, async () => {
  const container = await containerOf(imageOf('rabbitmq'))
  const config = (await texts('rabbitmq', 'rabbitmq-etc'))['rabbitmq.conf']!
  // Nobody to find, and nobody to know.
  const alone = config.split('\n').filter((line) => !/^(?:cluster_formation|load_definitions)/.test(line))

  const says = await run(
    container,
    {'rabbitmq.conf': alone.join('\n')},
    `give first rabbitmq
    install -m 444 /var/lib/kolla/config_files/rabbitmq.conf /etc/rabbitmq/rabbitmq.conf
    echo '[rabbitmq_management].' >/etc/rabbitmq/enabled_plugins
    install -d -o rabbitmq /var/lib/rabbitmq
    as rabbitmq env HOME=/var/lib/rabbitmq RABBITMQ_NODENAME=rabbit@localhost RABBITMQ_LOGS=- /usr/lib/rabbitmq/bin/rabbitmq-server >/tmp/log 2>&1 &
    until_ grep 'startup complete' /tmp/log || { tail -n 20 /tmp/log; exit 1; }
    curl --silent --show-error --cacert /etc/tls/ca.crt --user guest:guest https://localhost:15672/api/whoami
    refused curl --silent --max-time 10 http://localhost:15672/
    python3 - <<'PYTHON'
import socket, ssl
HELLO = b"AMQP\\x00\\x00\\x09\\x01"
plain = socket.create_connection(("127.0.0.1", 5672), 10)
plain.sendall(HELLO)
assert plain.recv(1) == b"\\x15", "no alert of TLS"
secure = ssl.create_default_context(cafile="/etc/tls/ca.crt").wrap_socket(socket.create_connection(("127.0.0.1", 5672), 10), server_hostname="localhost")
secure.sendall(HELLO)
assert secure.recv(1) == b"\\x01", "no frame of AMQP"
print("AMQP by", secure.version())
PYTHON
    is_served first -connect 127.0.0.1:5672
    give next rabbitmq
    until_ is_served next -connect 127.0.0.1:5672
    kill $(jobs -p)`,
  )

  expect(says).toContain('AMQP by TLSv1.3')
  expect(says).toContain('"name":"guest"')
})

it('an OVN database rejects clients without a certificate, and reloads a new one without a restart', {
  timeout: 600_000,
}, async () => {
  const container = await containerOf(imageOf('ovn-northd'))
  const scripts = await texts('ovn', 'ovn-bin')

  const says = await run(
    container,
    {'ovn-db.sh': scripts['ovn-db.sh']!},
    `give first root
    echo '127.0.0.1 localhost ovn-nb-0.ovn-nb-peers.openstack.svc.cluster.local' >>/etc/hosts
    export POD_NAME=ovn-nb-0 POD_IP=127.0.0.1 ADDRESS=ssl:ovn-nb-0.ovn-nb-peers.openstack.svc.cluster.local
    export DATABASE=OVN_Northbound SCHEMA=/usr/share/ovn/ovn-nb.ovsschema PORT=6641 RAFT_PORT=6643 INACTIVITY_PROBE=60000
    mkdir -p /var/lib/ovn
    bash /var/lib/kolla/config_files/ovn-db.sh >/dev/null 2>&1 &
    tls='--private-key=/etc/tls/tls.key --certificate=/etc/tls/tls.crt --ca-cert=/etc/tls/ca.crt'
    until_ ovn-nbctl $tls --db=ssl:localhost:6641 --timeout=5 --may-exist ls-add kept
    refused ovn-nbctl --db=tcp:localhost:6641 --timeout=5 ls-list
    refused ovn-nbctl --ca-cert=/etc/tls/ca.crt --db=ssl:localhost:6641 --timeout=5 ls-list
    refused openssl s_client -connect 127.0.0.1:6643 -CAfile /etc/tls/ca.crt -verify_return_error -tls1_2 </dev/null
    is_served first -connect 127.0.0.1:6641
    give next root
    until_ is_served next -connect 127.0.0.1:6641
    ovn-nbctl $tls --db=ssl:localhost:6641 --timeout=20 ls-list
    kill $(jobs -p)`,
  )

  expect(says).toContain('(kept)')
})

/** A service that says how long a request was, and by which scheme it came. */
const APP = `import uwsgi
def application(env, start):
    length = 0
    if env.get("HTTP_TRANSFER_ENCODING") == "chunked":
        while data := uwsgi.chunked_read():
            length += len(data)
    start("200 OK", [("Content-Type", "text/plain")])
    return [b"%d by %s\\n" % (length, env["wsgi.url_scheme"].encode())]
`

it('uwsgi serves a file of a chart only over TLS, also a response without a length', {
  timeout: 600_000,
}, async () => {
  const container = await containerOf(imageOf('glance-api'))
  const ini = (await texts('glance', 'glance-etc'))['glance-api-uwsgi.ini']!

  const says = await run(
    container,
    {'uwsgi.ini': ini.replace(/^module = .*$/m, 'module = app:application'), 'app.py': APP},
    `give first glance
    install -m 444 /var/lib/kolla/config_files/{uwsgi.ini,app.py} /tmp
    export PYTHONPATH=/tmp
    as glance uwsgi /tmp/uwsgi.ini 2>/dev/null >/dev/null &
    until_ curl --silent --fail --cacert /etc/tls/ca.crt https://localhost:9292/
    head -c 3000000 /dev/zero | curl --silent --cacert /etc/tls/ca.crt --upload-file - https://localhost:9292/
    refused curl --silent --max-time 10 http://localhost:9292/
    kill $(jobs -p)`,
  )

  expect(says).toContain('3000000 by https')
})

it('Apache before Keystone serves only TLS, and reloads a new certificate without a restart', {
  timeout: 600_000,
}, async () => {
  const container = await containerOf(imageOf('keystone'))
  const client = {client_id: 'keystone', client_secret: {secret: 'keystone-oidc', key: 'client-secret'}}
  const oidc = {name: 'corp', issuer: 'https://id.example.org', mapping: [{local: [], remote: []}], ...client}
  const objects = await charts.render('keystone', {
    values: {federation: {oidc}, tls: {internal: true, files: certificateOf(FIRST)}},
  })
  const ini = find(objects, 'ConfigMap', 'keystone-etc').data!['keystone-api-uwsgi.ini']!

  const says = await run(
    container,
    {
      'uwsgi.ini': ini.replace(/^module = .*$/m, 'module = app:application'),
      'apache.conf': secret(objects, 'keystone-files', 'apache.conf'),
      'app.py': APP,
    },
    `give first keystone
    install -m 444 /var/lib/kolla/config_files/{uwsgi.ini,apache.conf,app.py} /etc/keystone
    export PYTHONPATH=/etc/keystone OIDC_CLIENT_SECRET=s3cret
    as keystone uwsgi /etc/keystone/uwsgi.ini >/tmp/log 2>&1 &
    until_ is_served first -connect 127.0.0.1:5000 || { tail -n 20 /tmp/log; exit 1; }
    curl --silent --show-error --cacert /etc/tls/ca.crt https://localhost:5000/
    refused curl --silent --fail --max-time 10 http://localhost:5000/
    give next keystone
    until_ is_served next -connect 127.0.0.1:5000
    grep -c 'spawned uWSGI master process' /tmp/log
    kill $(jobs -p)`,
  )

  expect(says).toMatch(/0 by https\n(?:.*\n)*1$/)
})
