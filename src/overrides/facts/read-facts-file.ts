import {validate} from '../../base/validate.ts'
import {loadSource} from '../../environment/load.ts'
import {problemsError} from '../../environment/problems.ts'
import {refuseAmbiguousWords} from '../../environment/words.ts'
import {type Source, yamlError} from '../../yaml/error.ts'
import {parseTrees} from '../../yaml/tree.ts'
import {treeValue} from '../../yaml/yaml.ts'
import type {Facts} from './facts.ts'
import {FACTS_SCHEMA} from './schema.ts'

const WORDS = {what: 'facts file', hint: 'name a facts file: --facts FILE, or KK_FACTS'}

/**
 * Reads the facts of a file; `-` is standard input. Rejects with `KK_FILE`, with `KK_YAML` for YAML that Helm
 * would reject, and with `KK_FACTS` for violations of the schema, each with file:line:column.
 */
export async function readFactsFile(file: string): Promise<Facts> {
  return readFacts(await loadSource({file, words: WORDS}))
}

/** Reads the facts in a source. Throws as `readFactsFile` rejects. */
export function readFacts(source: Source): Facts {
  const [root, second] = parseTrees(source)
  if (!root) return {}
  if (second) {
    throw yamlError(source, second.offset, 'expected one document, got a second one', 'keep one')
  }
  refuseAmbiguousWords(source, root)
  const value = treeValue(source, root, {duplicates: 'error'})
  const problems = validate(FACTS_SCHEMA, value)
  if (problems.length > 0) {
    throw problemsError({source, root, problems, code: 'KK_FACTS', schema: 'kk schema facts'})
  }
  return withoutNulls(value as Facts)
}

/** Replaces a missing list of namespaces of a chart by an empty one. */
function withoutNulls(facts: Facts): Facts {
  if (facts.charts === undefined) return facts
  const charts = Object.entries(facts.charts as Record<string, readonly string[] | null>)
  return {
    ...facts,
    charts: Object.fromEntries(charts.map(([chart, namespaces]) => [chart, namespaces ?? []])),
  }
}
