import {expect, it} from 'vitest'
import {markup} from '../../../src/report/files/markup.ts'

it.each([
  ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
  ['" onclick="x', '&quot; onclick=&quot;x'],
  ["' onclick='x", '&#39; onclick=&#39;x'],
  ['&amp;', '&amp;amp;'],
  ['bell \u0007, escape \u001b', 'bell \ufffd, escape \ufffd'],
  ['half \ud83d', 'half \ufffd'],
  ['a\r\nb\tc', 'a&#13;\nb\tc'],
])('the text %j is escaped as %j', (text, written) => {
  expect(markup`<p title="${text}">${text}</p>`.markup).toBe(`<p title="${written}">${written}</p>`)
})

it('existing markup is not escaped again, also in lists', () => {
  const items = ['a', '<b>'].map((text) => markup`<li>${text}</li>`)

  expect(markup`<ul>${items}</ul> ${markup`<b>${3}</b>`}`.markup).toBe(
    '<ul><li>a</li><li>&lt;b&gt;</li></ul> <b>3</b>',
  )
})
