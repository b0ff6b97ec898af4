import {KkError} from '../../base/errors.ts'
import {memoize} from '../../base/once.ts'
import {suggest} from '../../base/suggest.ts'
import type {Environment} from '../../environment/environment.ts'
import type {SecretRecord, SecretStore} from '../../kubernetes/records/secret-store.ts'
import {releaseNamespace} from '../../release.ts'
import type {SecretNeeds} from './secret-needs.ts'
import type {KnownSecrets} from './supply-secrets.ts'

type Named = Pick<Environment, 'secretReferences' | 'file' | 'position'>

/**
 * Returns the stored secrets with those that the environment takes from Secrets of the cluster
 * (`kk.secrets`), which have precedence. Throws `KK_ENVIRONMENT` for a Secret or a key that does not exist.
 */
export async function withReferencedSecrets(
  environment: Named,
  needs: SecretNeeds,
  {stored, secrets}: {readonly stored: KnownSecrets; readonly secrets: Pick<SecretStore, 'readOther'>},
): Promise<KnownSecrets> {
  const {secretReferences = new Map()} = environment
  if (secretReferences.size === 0) return stored
  const read = memoize(async (place: string) => {
    const [namespace = '', name = ''] = place.split('/')
    return secrets.readOther(namespace, name)
  })
  const all = new Map([...stored].map(([namespace, each]) => [namespace, new Map(each)]))
  for (const [release, needed] of needs) {
    const namespace = releaseNamespace(release)
    const known = all.get(namespace) ?? new Map<string, SecretRecord>()
    all.set(namespace, known)
    for (const {name} of needed) {
      const reference = secretReferences.get(name)
      if (!reference) continue
      const place = `${reference.namespace ?? namespace}/${reference.secret}`
      const keys = await read(place)
      const value = keys?.get(reference.key)
      if (!value)
        throw missing(
          environment,
          name,
          keys ? `${place} has no value of ${reference.key}` : `${place} does not exist`,
        )
      known.set(name, {value, kind: undefined, since: undefined, isReferenced: true})
    }
  }
  return all
}

/** Throws `KK_ENVIRONMENT` for a name in `kk.secrets` of a secret that no release gets from kk. */
export function expectReferencesUsed(environment: Named, needs: SecretNeeds): void {
  const names = new Set([...needs.values()].flatMap((each) => each.map(({name}) => name)))
  for (const name of environment.secretReferences?.keys() ?? []) {
    if (names.has(name)) continue
    const close = suggest(name, names)
    throw invalid(
      environment,
      name,
      'no release gets this secret from kk: no chart here reads it, or a layer of values states it',
      close === undefined ? 'see the names with kk plan --secrets' : `did you mean ${close}?`,
    )
  }
}

function missing(environment: Named, name: string, what: string): KkError {
  return invalid(
    environment,
    name,
    `the Secret ${what}`,
    'create it first; if External Secrets or another operator does, see the status of its object',
  )
}

function invalid({file, position}: Named, name: string, what: string, hint: string): KkError {
  const at = position(['kk', 'secrets', name])
  const where = at ? `${at.file ?? file}:${at.line}:${at.column}` : file
  return new KkError('KK_ENVIRONMENT', `${where}: kk.secrets.${name}: ${what}`, {hint})
}
