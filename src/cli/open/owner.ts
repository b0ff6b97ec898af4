import {KkError} from '../../base/errors.ts'
import {chooseEnvironmentFile, splitArguments} from '../../environment/choose.ts'
import type {Environment} from '../../environment/environment.ts'
import {loadEnvironment} from '../../environment/load.ts'
import type {OwnerFlags} from '../flags.ts'

/** The environment whose runs and releases a command is about, as far as its arguments specify it. */
export interface Owner {
  /** The name of the environment. */
  readonly name: string | undefined
  /** The environment file, if there is one. */
  readonly environment: Environment | undefined
  /** True if the command line names it. */
  readonly isNamed: boolean
  /** The other arguments. */
  readonly words: readonly string[]
}

/**
 * Opens the environment by `--owner`, which needs no file, or by its file. Returns no environment if there is
 * no file, because the records are in the cluster. Throws `KK_USAGE` if both are specified and differ.
 */
export async function openOwner(flags: OwnerFlags, argv: readonly string[]): Promise<Owner> {
  const {file, releases: words} = splitArguments(argv)
  const isNamed = file !== undefined || flags.environment !== undefined || flags.owner !== undefined
  if (flags.owner !== undefined && file === undefined && flags.environment === undefined)
    return {name: flags.owner, environment: undefined, isNamed, words}
  const environment = await fileOrNone(file, flags, isNamed)
  if (flags.owner !== undefined && environment && environment.name !== flags.owner) {
    throw new KkError(
      'KK_USAGE',
      `expected one environment, got --owner ${flags.owner} and ${environment.file}, which is "${environment.name}"`,
      {hint: 'pass only one of them'},
    )
  }
  return {name: environment?.name, environment, isNamed, words}
}

async function fileOrNone(
  argument: string | undefined,
  flags: OwnerFlags,
  isNamed: boolean,
): Promise<Environment | undefined> {
  const choice = {argument, flag: flags.environment, env: process.env, cwd: process.cwd()}
  const file = await chooseEnvironmentFile(choice).catch((error: unknown) => {
    if (!isNamed && error instanceof KkError && error.code === 'KK_NO_ENVIRONMENT') return undefined
    throw error
  })
  return file === undefined ? undefined : loadEnvironment({file})
}
