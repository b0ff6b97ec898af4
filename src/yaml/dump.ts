import {DUMP_SCHEMA, defineScalarTag, dump, NOT_RESOLVED} from 'js-yaml'
import {resolveWord} from './word.ts'

/** Strings that only Helm's reader takes for numbers, such as `0X1F`, are quoted. */
const HELM_WORDS = defineScalarTag('tag:kk.openstack.org,2026:word', {
  implicit: true,
  implicitFirstChars: ['-', '+', '.', ...'0123456789'],
  resolve: (source) => (resolveWord(source) ? source : NOT_RESOLVED),
  identify: () => false,
})
const SCHEMA = DUMP_SCHEMA.withTags(HELM_WORDS)

/**
 * Returns a value as YAML that Helm, YAML 1.1 and YAML 1.2 read alike, in lines of any length and without
 * anchors.
 */
export function dumpYaml(value: unknown, {sortKeys = false} = {}): string {
  return dump(value, {noRefs: true, lineWidth: -1, schema: SCHEMA, sortKeys})
}
