import {problemsError} from '../../../environment/problems.ts'
import {validate} from '../../../environment/validate.ts'
import {type Source, yamlError} from '../../../helm/yaml/error.ts'
import {parseTrees} from '../../../helm/yaml/tree.ts'
import {treeValue} from '../../../helm/yaml.ts'
import type {FactName} from '../../facts/facts.ts'
import {definePlugin, type Plugin, type SecretNeed} from '../plugin.ts'
import {compose} from '../shared/compose.ts'
import {checkRules, type Rule} from './check-rules.ts'
import {holds} from './conditions.ts'
import {RULES_SCHEMA} from './schema.ts'
import {substitute} from './substitute.ts'

interface RuleFile {
  readonly chart: string
  readonly namespaces?: readonly string[]
  readonly reads?: readonly FactName[]
  readonly secrets?: readonly SecretNeed[]
  readonly rules: readonly Rule[]
}

/** The plugin of a rule file. Throws `KK_YAML` and `KK_PLUGIN`, with file:line:column. */
export function rulePlugin(source: Source): Plugin {
  const [root, second] = parseTrees(source)
  if (!root || second) {
    throw yamlError(
      source,
      second?.offset ?? 0,
      `expected one document, got ${root ? 'a second one' : 'an empty file'}`,
    )
  }
  const value = treeValue(source, root, {duplicates: 'error'})
  const problems = validate(RULES_SCHEMA, value)
  if (problems.length > 0) {
    throw problemsError({source, root, problems, code: 'KK_PLUGIN', schema: 'kk schema plugin'})
  }
  const {rules, reads = [], ...declared} = value as RuleFile
  checkRules({source, root, rules, reads})
  return {
    ...definePlugin({
      ...declared,
      reads,
      overrides: (facts) =>
        compose(
          ...rules.filter(({when = {}}) => holds(when, facts)).map(({values}) => substitute(values, facts)),
        ),
    }),
    file: source.file,
  }
}
