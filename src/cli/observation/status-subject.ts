import type {StatusSubject} from '../../verbs/observation/status-row.ts'
import {type OwnerFlags, openOwner} from '../open/owner.ts'
import {type EnvironmentFlags, openPrepared} from '../open.ts'

/** Whose releases a command looks at: those of its file or, with `--owner` alone, those that the cluster says are its. */
export async function statusSubject(
  flags: EnvironmentFlags & OwnerFlags,
  argv: readonly string[],
): Promise<StatusSubject> {
  if (flags.owner !== undefined) {
    const {name, environment, words} = await openOwner(flags, argv)
    if (!environment) return {owner: name!, prepared: undefined, names: words}
  }
  const {prepared, releases} = await openPrepared(flags, argv)
  return {owner: prepared.environment.name, prepared, names: releases}
}
