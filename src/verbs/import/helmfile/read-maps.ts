import {readYamlDocuments} from '../../../helm/yaml.ts'
import {isMap} from '../../../overrides/merge.ts'
import type {Values} from '../../../release.ts'

/** The maps of a YAML stream; what else stands in it is passed over. Throws `KK_YAML`. */
export function readMaps(text: string, file: string): readonly Values[] {
  return readYamlDocuments(text, {file}).filter(isMap)
}
