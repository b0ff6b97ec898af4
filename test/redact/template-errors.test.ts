import {describe, expect, it} from 'vitest'
import {redactTemplateErrors} from '../../src/redact/template-errors.ts'

const AT = 'Error: template: a/templates/y.yaml:1:3: executing "a/templates/y.yaml" at'

// As helm 3.21 and 4.2 print them.
describe('redactTemplateErrors', () => {
  it.each([
    [
      `${AT} <.Values.conf>: range can't iterate over S3cret\n"two"\n\nUse --debug flag to render out invalid YAML`,
      `${AT} <.Values.conf>: range can't iterate over ***\nUse --debug flag to render out invalid YAML`,
    ],
    [
      'Error: a/templates/y.yaml:1:16\n  executing "a/templates/y.yaml" at <.Values.conf>:\n    range can\'t iterate over S3cret\n',
      'Error: a/templates/y.yaml:1:16\n  executing "a/templates/y.yaml" at <.Values.conf>:\n    range can\'t iterate over ***',
    ],
    [
      `${AT} <eq .Values.m .Values.list>: error calling eq: non-comparable types map[pw:S3cret]: map[string]interface {}, []interface {}: [a S3cret]`,
      `${AT} <eq .Values.m .Values.list>: error calling eq: non-comparable types ***`,
    ],
    [
      `${AT} <include "b" .>: error calling include: template: a/templates/y.yaml:1:19: executing "b" at <mustToDate "2006" .Values.conf>: error calling mustToDate: parsing time "S3\\"cret" as "2006": cannot parse "S3\\"cret" as "2006"`,
      `${AT} <include "b" .>: error calling include: template: a/templates/y.yaml:1:19: executing "b" at <mustToDate "2006" .Values.conf>: error calling mustToDate: parsing time *** as ***: cannot parse *** as ***`,
    ],
    [
      `${AT} <tpl .Values.t .>: error calling tpl: error during tpl function execution for "{{ include \`b\` . }} S3cret": template: gotpl:1:3: executing "gotpl" at <include \`b\` .>: error calling include: template: no template "b" associated with template "gotpl"`,
      `${AT} <tpl .Values.t .>: error calling tpl: error during tpl function execution for ***: template: gotpl:1:3: executing "gotpl" at <include \`b\` .>: error calling include: template: no template "b" associated with template "gotpl"`,
    ],
    [
      `${AT} <mustRegexMatch .Values.re "a">: error calling mustRegexMatch: error parsing regexp: missing closing ]: \`[S3cret\``,
      `${AT} <mustRegexMatch .Values.re "a">: error calling mustRegexMatch: error parsing regexp: missing closing ]: ***`,
    ],
  ])('masks values quoted in %j', (text, redacted) => {
    expect(redactTemplateErrors(text)).toBe(redacted)
  })

  it.each([
    `${AT} <.Values.conf>: wrong type for value; expected map[string]interface {}; got string`,
    `${AT} <include "b" .>: error calling include: template: no template "b" associated with template "gotpl"`,
    `${AT} <lookup "v1" "Secret" "a" "b">: error calling lookup: secrets "b" is forbidden: User "eve" cannot get resource "secrets"`,
    'Error: execution error at (a/templates/y.yaml:1:3): "conf" is to be a map',
  ])('does not mask errors without values: %s', (text) => {
    expect(redactTemplateErrors(text)).toBe(text)
  })
})
