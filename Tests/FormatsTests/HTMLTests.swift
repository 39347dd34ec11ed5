import Formats
import Testing

struct HTMLTests {
  @Test(arguments: [
    ("", ""), ("Zoë & <b>\"Co\"</b> 'x'", "Zoë &amp; &lt;b&gt;&quot;Co&quot;&lt;/b&gt; &#39;x&#39;"),
    // One character of two scalars.
    ("<\u{338}script>", "&lt;\u{338}script&gt;"), ("&amp;", "&amp;amp;"),
  ])
  func noTextIsMarkup(_ text: String, _ escaped: String) {
    #expect(text.escapedForHTML.unicodeScalars.elementsEqual(escaped.unicodeScalars))
  }
}
