import {ENVIRONMENT_SCHEMA} from '../../environment/schema.ts'
import {validate} from '../../environment/validate.ts'
import {KkError} from '../../errors.ts'
import type {Imported} from './imported.ts'

/** Throws `KK_USAGE` for a name or a source of charts that no environment can have. */
export function refuseOddSettings({name, charts}: Pick<Imported, 'name' | 'charts'>): void {
  const [problem] = validate(ENVIRONMENT_SCHEMA, {kk: {name, charts}})
  if (!problem) return
  const {path, expected, got} = problem
  throw new KkError('KK_USAGE', `--${path[1]}: expected ${expected}, got ${got}`, {
    hint: 'kk schema environment tells what an environment takes',
  })
}
