import Testing

@testable import HTTP1

struct PathTests {
  /// Only unreserved characters mean the same encoded: RFC 3986, 2.2 and 6.2.2.2.
  @Test(arguments: [
    ("/functions/v1/vote%2Dcast", "/functions/v1/vote-cast"), ("/%61%7a%41%5A%30%39%2d%2e%5f%7E", "/azAZ09-._~"),
    ("/a%2Fb", "/a%2Fb"), ("/a%2fb", "/a%2fb"), ("/1%202", "/1%202"), ("/%3F%23%25%3b%2B", "/%3F%23%25%3b%2B"),
    ("/%252D", "/%252D"), ("/%2", "/%2"), ("/%", "/%"), ("/%zz%+1", "/%zz%+1"), ("/%C3%A9%00", "/%C3%A9%00"),
    ("/a-b", "/a-b"),
  ])
  func onePathIsWrittenInOneWay(_ sent: String, _ path: String) {
    #expect(HTTP1Request(method: "GET", path: sent).path == path)
    #expect(HTTP1Request(method: "GET", path: path).path == path)
  }

  @Test(
    arguments: [
      ("Bearer abc", "abc"), ("bearer abc", "abc"), ("BEARER   abc", "abc"), ("bEaReR a b", "a b"), ("Bearer", nil),
      ("Bearer  ", nil), ("Bearerabc", nil), ("Basic abc", nil), ("abc", nil), ("", nil), ("Bearer\tabc", nil),
    ] as [(String, Substring?)])
  func aBearerTokenFollowsSpaces(_ field: String, _ token: Substring?) {
    #expect(BearerToken.shown(in: field) == token)
  }
}
