import {readFile} from 'node:fs/promises'
import {KkError} from '../../errors.ts'
import {readYaml} from '../../helm/yaml.ts'
import type {Facts} from '../../overrides/facts/facts.ts'
import {isMap} from '../../overrides/merge.ts'

export interface FactsFlags {
  readonly facts?: string | undefined
}

/** The facts of the file that `--facts` or `KK_FACTS` names; undefined without either. Rejects with `KK_FILE`, `KK_YAML`. */
export async function factsOf({facts}: FactsFlags): Promise<Facts | undefined> {
  const file = facts ?? (process.env.KK_FACTS || undefined)
  if (file === undefined) return undefined
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new KkError('KK_FILE', `the facts file ${file} cannot be read (${cause.code})`, {
      cause,
      hint: 'correct --facts or KK_FACTS',
    })
  })
  const known = readYaml(text, {file, duplicates: 'error'}) ?? {}
  if (isMap(known)) return known
  throw new KkError('KK_YAML', `${file}: expected a map of facts`, {hint: 'for example "controllers: 3"'})
}
