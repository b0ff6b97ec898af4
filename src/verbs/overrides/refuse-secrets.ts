import {KkError} from '../../errors.ts'
import type {ValuePath} from '../../overrides/secrets/secret-values.ts'

/** Throws `KK_SECRET` for a place that plugins call secret, where such may not be set. */
export function refuseSecret(path: ValuePath | undefined): void {
  if (path === undefined) return
  throw keptByKk(`${path.join('.')} is a secret that kk keeps: an override of it`)
}

/** `KK_SECRET`: `what` may hold secrets that are not to be set. */
export function keptByKk(what: string): KkError {
  return new KkError('KK_SECRET', `${what} can neither be set nor taken away here`, {
    hint: 'change the secret with kk secrets rotate, or start the server with --allow-secret-overrides',
  })
}
