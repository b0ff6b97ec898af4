import {expect, it} from 'vitest'
import {parseReportRequests, suffixedRequest} from '../../../src/report/files/request.ts'

it('each value of --report has a kind and a file, whose name may contain =', () => {
  const requests = parseReportRequests(['junit=out/kk.xml', 'html=a=b.html', 'junit=again.xml'])

  expect(requests).toEqual([
    {kind: 'junit', file: 'out/kk.xml'},
    {kind: 'html', file: 'a=b.html'},
    {kind: 'junit', file: 'again.xml'},
  ])
})

it.each([
  ['kk.xml', 'kk.rollback.xml'],
  ['out.d/kk', 'out.d/kk.rollback'],
  ['/tmp/kk.tar.xml', '/tmp/kk.tar.rollback.xml'],
])('the report of a rollback for %s is written next to the original as %s', (file, beside) => {
  expect(suffixedRequest({kind: 'junit', file}, 'rollback')).toEqual({kind: 'junit', file: beside})
})

it.each([
  [['junti=kk.xml'], 'but got junti=kk.xml', 'did you mean junit?'],
  [['kk.xml'], '--report expects one of junit, trace, html, json', 'for example --report junit=kk.xml'],
  [['html'], '--report html needs a file', 'for example'],
  [['html='], '--report html needs a file', 'for example'],
  [['json=-'], 'goes to a file', '--output json'],
  [['html=run', 'json=./run'], 'two reports, html and json, were given one file', 'for example'],
])('the report requests %j are a usage error', (texts, message, hint) => {
  expect(() => parseReportRequests(texts)).toThrow(
    expect.objectContaining({
      code: 'KK_USAGE',
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    }),
  )
})
