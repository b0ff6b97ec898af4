import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {type KubernetesObject, secret, type Container as Unit} from '../../own-charts/support/objects.ts'

/**
 * The variables of a unit whose values a test knows: those that a chart's Secret has, and those of Secrets of
 * the deployer.
 */
export function environmentOf(
  objects: readonly KubernetesObject[],
  {env = []}: Unit,
  given: Readonly<Record<string, Readonly<Record<string, string>>>> = {},
): Readonly<Record<string, string>> {
  const known = env.map(({name, value, valueFrom}) => {
    const from = valueFrom?.secretKeyRef
    const text = from ? (given[from.name]?.[from.key] ?? secret(objects, from.name, from.key)) : value
    return [name, text] as const
  })
  return Object.fromEntries(known.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])))
}

/**
 * Bash that prepares Keystone with a database of its own and without a cache.
 */
export const API = `set -e
trap 'kill $(jobs -p) 2>/dev/null' EXIT
export OS_DATABASE__CONNECTION=sqlite:////tmp/keystone.sqlite OS_CACHE__ENABLED=false OS_BOOTSTRAP_PASSWORD=s3cret
as() { setpriv --reuid=keystone --regid=keystone --init-groups "$@"; }
install -d -m 700 -o keystone -g keystone /etc/keystone/fernet-keys /etc/keystone/credential-keys
as keystone-manage db_sync 2>/dev/null
# Otherwise a process that reads keeps another one from writing.
as python3 -c 'import sqlite3; sqlite3.connect("/tmp/keystone.sqlite").execute("PRAGMA journal_mode=WAL")'
as keystone-manage fernet_setup --keystone-user keystone --keystone-group keystone 2>/dev/null
as keystone-manage bootstrap --bootstrap-internal-url http://127.0.0.1:5000/v3 --bootstrap-region-id RegionOne 2>/dev/null
`

/** A module of Python that starts the API as its pod does, and calls it as the administrator. */
export const KEYSTONE = readFileSync(join(import.meta.dirname, 'keystone.py'), 'utf8')
