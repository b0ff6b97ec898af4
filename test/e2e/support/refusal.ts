import {expect} from 'vitest'
import type {ErrorCode} from '../../../src/base/errors.ts'
import {type Corner, openCorner} from './corner.ts'
import {snapshot} from './snapshot.ts'

/** A corner with a healthy release `standing`, which bad input must leave as it is. */
export async function openStanding(): Promise<Corner> {
  const corner = await openCorner(STANDING)
  const {exitCode, stderr} = await corner.kk(['deploy', 'env.yaml'])
  expect(exitCode, stderr).toBe(0)
  return corner
}

const STANDING = `
kk:
  OWN
  releases: {standing: {chart: workload}}
standing: {}
`

interface Refusal {
  readonly exit: number
  readonly code: ErrorCode
  /** In the message; `NAME` stands for the name of the corner. */
  readonly says: string | RegExp
  readonly hint: string | RegExp
}

interface RefusedOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly input?: string
}

/**
 * Runs kk with bad input: it must end with this error on standard error, print no data, and change nothing in
 * the corner's namespace. No other test may change something there meanwhile.
 */
export async function expectRefusal(
  corner: Corner,
  args: readonly string[],
  {exit, code, says, hint}: Refusal,
  options: RefusedOptions = {},
): Promise<void> {
  const before = await snapshot(corner.name)

  const {exitCode, stdout, stderr} = await corner.kk(args, options)

  expect({exitCode, stdout}, stderr).toEqual({exitCode: exit, stdout: ''})
  const [, error = '', advice = ''] = /^error ([\s\S]*?)\nhint: (.*)$/m.exec(stderr) ?? []
  expect(error, stderr).toMatch(new RegExp(`^${code}: `))
  expect(error).toMatch(named(says, corner))
  expect(advice).toMatch(named(hint, corner))
  expect(await snapshot(corner.name)).toBe(before)
}

function named(text: string | RegExp, {name}: Corner): string | RegExp {
  if (typeof text === 'string') return text.replaceAll('NAME', name)
  return new RegExp(text.source.replaceAll('NAME', name), text.flags)
}
