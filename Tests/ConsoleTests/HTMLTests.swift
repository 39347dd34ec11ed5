import Testing

@testable import Console

/// Whatever a text contains, it stays a text.
struct HTMLTests {
  @Test(arguments: [
    ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
    ("\" onclick='x' &amp;", "&quot; onclick=&#39;x&#39; &amp;amp;"),
    ("a\u{0}b\u{1B}[31m\u{7F}", "a␀b␛[31m␡"),
    ("\u{202E}txt.exe\u{2066}", "[U+202E]txt.exe[U+2066]"),
    ("\u{2068}نعم\u{2069}!", "\u{2068}نعم\u{2069}!"), ("\u{2069}a\u{2068}", "[U+2069]a[U+2068]"),
    ("\u{2067}\u{2068}a\u{2069}", "[U+2067][U+2068]a[U+2069]"), ("\u{2068}a", "[U+2068]a"),
    ("\u{85}\u{2028}\u{FEFF}", "[U+85][U+2028][U+FEFF]"),
    ("\u{E0041}", "[U+E0041]"), ("\u{FFFE}\u{1FFFF}", "��"),
    ("👩‍👩‍👧 é Ω", "👩‍👩‍👧 é Ω"), ("a\nb\tc\rd", "a\nb\tc&#13;d"),
  ])
  func textIsEscaped(_ text: String, _ expected: String) {
    #expect(HTML(text).source == expected)
    #expect(tag(.p) { text }.source == "<p>\(expected)</p>")
    #expect(tag(.p, .title(text)) {}.source == "<p title=\"\(expected)\"></p>")
  }

  @Test func anElementIsClosedUnlessItIsVoid() {
    #expect(tag(.br).source == "<br>")
    #expect(tag(.input, .name("a"), .checked, nil).source == "<input name=\"a\" checked>")
    #expect(tag(.ul) { for word in ["a", "b"] { tag(.li) { word } } }.source == "<ul><li>a</li><li>b</li></ul>")
    #expect(tag(.p) { if false { "x" } }.source == "<p></p>")
  }

  @Test(arguments: [
    (["event", "a/b?c#d"], "/_/console/event/a%2Fb%3Fc%23d"), (["..", "."], "/_/console/_/_"),
    (["javascript:alert(1)"], "/_/console/javascript%3Aalert%281%29"), (["\u{202E}"], "/_/console/%E2%80%AE"),
    (["//evil"], "/_/console/%2F%2Fevil"), ([], "/_/console/"),
  ])
  func anAddressLeadsNowhereElse(_ segments: [String], _ expected: String) {
    #expect(Address(segments).text == expected)
  }

  @Test func anAddressHasItsQuery() {
    let address = Address("dead").with("q", "key:a b&c=\"<").with("none", nil).at("x y")
    #expect(address.text == "/_/console/dead?q=key%3Aa%20b%26c%3D%22%3C#x%20y")
  }

  @Test func aLongNameIsCut() {
    let word = String(repeating: "x", count: 10_000)
    let zalgo = "a" + String(repeating: "\u{301}", count: 10_000)

    #expect(name(word).source.utf8.count < 2_300)
    #expect(name(zalgo).source.utf8.count < 4_500)
    #expect(name("short").source == "<bdi>short</bdi>")
    #expect("abc".clipped(to: 3) == "abc" && "abcd".clipped(to: 3) == "abc…")
  }
}
