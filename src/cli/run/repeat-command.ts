import {KkError} from '../../base/errors.ts'
import type {PlanScope} from '../../plan/scope.ts'
import type {ClusterFlags} from '../flags.ts'
import type {ChangeFlags} from './flags.ts'

/** Returns the arguments after the verb that select the same environment and cluster. */
export function targetArguments(file: string, flags: ClusterFlags): string {
  const named = (['sandbox-name', 'kubeconfig', 'context'] as const)
    .filter((flag) => flags[flag] !== undefined)
    .map((flag) => `--${flag} ${flags[flag]}`)
  return [file, ...(flags.sandbox && named.length === 0 ? ['--sandbox'] : []), ...named].join(' ')
}

/** Returns a command of `kk operator` about the cluster of these flags. */
export function operatorCommand(words: string, flags: ClusterFlags): string {
  return ['kk operator', words, targetArguments('', flags).trim()].join(' ').trim()
}

/** Returns an error whose hint names commands of the operator on the cluster of these flags. */
export function withOperatorPlace(error: unknown, flags: ClusterFlags): unknown {
  const place = targetArguments('', flags).trim()
  if (!(error instanceof KkError) || error.hint === undefined || place === '') return error
  const {code, message, exit, log} = error
  const hint = error.hint.replaceAll(/kk operator \w+( [^\s;,]+)?/g, (command) => `${command} ${place}`)
  return new KkError(code, message, {hint, exit, log, cause: error})
}

/**
 * Returns the command that shows an environment: by its name if the file was standard input, which can be
 * read only once.
 */
export function statusCommand(
  {name, file}: {readonly name: string; readonly file: string},
  flags: ClusterFlags,
): string {
  const subject = file === '-' ? `--owner ${name}` : file
  return `kk status ${targetArguments(subject, flags)}`
}

interface Repeated {
  /** The environment file. */
  readonly file: string
  /** The named releases; empty for all. */
  readonly names: readonly string[]
  readonly flags: Partial<ChangeFlags>
}

/** A command line in two parts: one to copy, and a description of the flags that are not printed. */
export interface RepeatCommand {
  /** The part after the verb. */
  readonly line: string
  /**
   * Describes flags that are not printed, because values of `--set` may be secret; undefined if the line is
   * complete.
   */
  readonly setHint: string | undefined
}

/** Returns the command line for the same releases with the same values. */
export function repeatCommand({file, names, flags}: Repeated): RepeatCommand {
  // A URL may contain a password.
  const store = flags.store?.includes('://') ? undefined : flags.store
  const sets = (['set', 'set-string'] as const)
    .filter((name) => flags[name]?.length)
    .map((name) => `--${name}`)
  const named = {store, facts: flags.facts, plugins: flags.plugins}
  return {
    line: [
      targetArguments([file, ...names].join(' '), flags),
      ...(flags.values ?? []).map((value) => `--values ${value}`),
      ...Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : `--${name} ${value}`)),
      ...(['force-version', 'locked', 'adopt-store'] as const)
        .filter((name) => flags[name])
        .map((name) => `--${name}`),
    ].join(' '),
    setHint: sets.length === 0 ? undefined : `with the same ${sets.join(' and ')}`,
  }
}

const SWITCHES = [
  ...['force-conflicts', 'fail-fast', 'no-wait', 'remove-new', 'keep-schema', 'test'],
  'skip-upgrade-checks',
] as const

/**
 * Returns the flags that control how a change runs, each after a space, so that a retry runs in the same way.
 */
export function retryFlags(
  flags: Partial<ChangeFlags>,
  {correctDrift}: Pick<PlanScope, 'correctDrift'> = {},
): string {
  const {concurrency, 'on-failure': onFailure = 'keep'} = flags
  const words = [
    ...(correctDrift ? ['--correct-drift'] : []),
    ...SWITCHES.filter((name) => flags[name]).map((name) => `--${name}`),
    ...(flags.prepull === undefined ? [] : [flags.prepull ? '--prepull' : '--no-prepull']),
    ...(flags['confirm-data'] ?? []).map((name) => `--confirm-data ${name}`),
    ...(concurrency === undefined ? [] : [`--concurrency ${concurrency}`]),
    ...(onFailure === 'keep' ? [] : [`--on-failure ${onFailure}`]),
  ]
  return words.map((word) => ` ${word}`).join('')
}
