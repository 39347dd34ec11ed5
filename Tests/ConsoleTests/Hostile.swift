/// Names that would do harm in a page that took them as they are.
enum Hostile {
  static let names = [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)", "&lt;b&gt;&#x3c;",
    "\u{202E}gnp.exe", "a\u{0}b\u{1B}[2J", String(repeating: "word", count: 2_500), "👩‍👩‍👧‍👦\u{FE0F}", "\u{FFFD}\u{FFFE}",
    "javascript:alert(1)", "../../etc/passwd", "--all", "a/b?c=d#e", "]]>-->", "", " ",
  ]

  /// Whether a page has only elements of the console itself, and none that a text could have brought in.
  static func isHarmless(_ page: String) -> Bool {
    let forbidden = [
      "<img", "<iframe", "<object", "<style", "href=\"javascript", "action=\"javascript", "<b>", "\u{202E}", "\u{0}",
      "\u{1B}",
    ]
    let scripts = page.matches(of: /<script/).count
    // What stands in quotes is a value, whatever it looks like.
    let bare = page.replacing(/="[^"]*"/, with: "")
    let handlers = bare.contains(/<[^>]*\son[a-z]+/) || bare.contains(/<[^>]*\sstyle/)
    return !handlers && scripts <= 1 && !forbidden.contains { page.contains($0) }
  }
}
