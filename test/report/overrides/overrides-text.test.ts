import {describe, expect, it} from 'vitest'
import {palette} from '../../../src/report/colour.ts'
import {changeText, overridesHistoryText} from '../../../src/report/overrides/overrides-text.ts'
import {viewText} from '../../../src/report/text/view.ts'

const PLAIN = palette(0)
const NOVA = {name: 'nova', namespace: 'openstack'}
const MASKED = "password: '***'\n"

describe('a change of user overrides', () => {
  it('without an effect is reported as such, or as unknown if secrets are masked', () => {
    expect(viewText(changeText({...NOVA, before: 'a: 1\n', after: 'a: 1\n'}, PLAIN))).toMatch(
      /nothing would change in the user overrides$/m,
    )
    expect(viewText(changeText({...NOVA, before: MASKED, after: MASKED}, PLAIN))).toContain(
      'nothing would change in the user overrides; secrets are compared with --show-secrets only',
    )
  })

  it('of secrets only is marked in the history', () => {
    const entry = {...NOVA, id: 1, at: '2026-01-01T00:00:00.000Z', who: 'ada', before: MASKED, after: MASKED}

    expect(viewText(overridesHistoryText([entry], PLAIN))).toContain('only what is secret was changed')
  })
})
