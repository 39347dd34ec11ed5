import HTTP2
import Testing

struct ProxyChoiceTests {
  @Test(arguments: [
    ("http://proxy.example:3128", Proxy(Endpoint(host: "proxy.example", port: 3_128))),
    ("HTTP://proxy.example/", Proxy(Endpoint(host: "proxy.example", port: 80))),
    ("proxy.example:8080", Proxy(Endpoint(host: "proxy.example", port: 8_080))),
    ("http://[::1]:3128", Proxy(Endpoint(host: "::1", port: 3_128))),
    ("http://me:p%40ss%3Aword@10.0.0.1:3128", .test("10.0.0.1", 3_128, "me", "p@ss:word")),
    ("me:p%40ss@[::1]:3128", .test("::1", 3_128, "me", "p@ss")),
    ("http://me@proxy.example:1", .test("proxy.example", 1, "me", "")),
    ("http://:pass@proxy.example:1", .test("proxy.example", 1, "", "pass")),
    ("http://pct:a%2541b@proxy.example:1", .test("proxy.example", 1, "pct", "a%41b")),
    ("http://me:%c3%A9@proxy.example:1", .test("proxy.example", 1, "me", "é")),
    ("http://me:a:b+c^@d@proxy.example:1", .test("proxy.example", 1, "me", "a:b+c^@d")),
  ])
  func anAddressIsRead(text: String, proxy: Proxy) {
    #expect(Proxy(url: text) == proxy)
  }

  @Test(arguments: [
    "", "http://", "https://proxy.example:3128", "socks5://proxy.example:1080", "http://proxy.example:0",
    "http://proxy.example:70000", "http://proxy.example/path", "http://proxy.example?x", "http://:3128",
    "http://proxy.example:", "http://proxy.example:+80", "http://proxy.example:x", "http://[::1", "http://[::1]3128",
    "http://[10.0.0.1]:3128", "http://::1:3128", "http://pröxy.example:3128", "http://proxy%2Eexample:3128",
    "http://me:p%40é@proxy.example:1", "http://mé:pass@proxy.example:1", "http://me:50%@proxy.example:1",
    "http://me:%4@proxy.example:1", "http://me:%4g@proxy.example:1", "http://me:%+4@proxy.example:1",
    "http://m%:pass@proxy.example:1", "http://me:a b@proxy.example:1", "http://me:a/b@proxy.example:1",
    "http://me:a?b@proxy.example:1", "http://me:a#b@proxy.example:1", "http://a%3Ab:pass@proxy.example:1",
  ])
  func anythingElseIsRefused(text: String) {
    #expect(Proxy(url: text) == nil)
  }

  @Test func theCredentialsAreNeverShown() {
    let proxy = Proxy.test("proxy.example", 3_128, "me", "secret")
    var dumped = ""
    dump(proxy, to: &dumped)

    #expect("\(proxy)" == "proxy.example:3128")
    #expect(String(reflecting: proxy) == "proxy.example:3128")
    #expect(!dumped.contains("Basic") && !dumped.contains("bWU6c2VjcmV0"))
  }

  @Test(arguments: [
    (["HTTPS_PROXY": "http://a:1"], "a"), (["https_proxy": "http://a:1"], "a"),
    (["https_proxy": "http://a:1", "HTTPS_PROXY": "http://b:1"], "a"),
    (["https_proxy": "", "HTTPS_PROXY": "b:1"], "b"),
    ([:], nil), (["HTTP_PROXY": "http://a:1"], nil),
    (["HTTPS_PROXY": "http://a:1", "NO_PROXY": "push.example"], nil),
    (["HTTPS_PROXY": "http://a:1", "no_proxy": "other.example, .EXAMPLE"], nil),
    (["HTTPS_PROXY": "http://a:1", "NO_PROXY": "example"], nil),
    (["HTTPS_PROXY": "http://a:1", "NO_PROXY": "*"], nil),
    (["HTTPS_PROXY": "http://a:1", "NO_PROXY": "*.example"], nil),
    (["HTTPS_PROXY": "http://a:1", "NO_PROXY": "push.example:443"], nil),
    (["HTTPS_PROXY": "http://a:1", "NO_PROXY": "push.example:2197"], "a"),
    (["HTTPS_PROXY": "http://a:1", "NO_PROXY": "h.example,10.0.0.1,notpush.example"], "a"),
  ])
  func theEnvironmentSaysWhichProxy(environment: [String: String], host: String?) throws {
    let proxy = try Proxy.environment(for: Endpoint(host: "push.example", port: 443)) { environment[$0] }

    #expect(proxy?.endpoint.host == host)
  }

  @Test(arguments: [
    ("10.0.0.1", "10.0.0.1", true), ("fe80::1", "10.0.0.1,fe80::1", true), ("localhost", "", true),
    ("127.0.0.2", "", true), ("::1", "", true), ("10.0.0.1", "10.0.0.1:443", true), ("10.0.0.1", "10.0.0.1:80", false),
    ("2001:db8::1", "[2001:db8::1]", true), ("2001:db8::1", "[2001:DB8:0::1]:443", true),
    ("2001:db8::1", "[2001:db8::1]:80", false), ("2001:db8::1", "2001:db8:0:0::1", true),
    ("2001:db8::1", "[2001:db8::2]", false), ("10.1.2.3", "10.0.0.0/8", true), ("10.1.2.3", "10.1.2.0/25", true),
    ("10.1.2.200", "10.1.2.0/25", false), ("10.1.2.3", "0.0.0.0/0", true), ("10.1.2.3", "10.1.2.3/32", true),
    ("10.1.2.3", "::/0", false), ("2001:db8::1", "2001:db8::/32", true), ("2001:db9::1", "2001:db8::/32", false),
    ("a.example", "10.0.0.0/8", false), ("10.1.2.3", "10.0.0.0/8:443", true), ("10.1.2.3", "10.0.0.0/8:80", false),
    ("2001:db8::1", "[2001:db8::/32]:443", true), ("2001:db8::1", "[2001:db8::/32]:80", false),
    ("2001:db8::1", "[2001:db8::/32]", true), ("a.example", "*:443", true), ("a.example", "*:80", false),
    ("a.example", "*.EXAMPLE.", true), ("my_host.example", "a-b.example my_host.example", true),
    ("a.example.", "a.example:443", true), ("a.example", " , ,\t", false),
  ])
  func someAddressesAreReachedWithout(host: String, exceptions: String, isDirect: Bool) throws {
    let environment = ["HTTPS_PROXY": "http://a:1", "NO_PROXY": exceptions]

    let proxy = try Proxy.environment(for: Endpoint(host: host, port: 443)) { environment[$0] }

    #expect((proxy == nil) == isDirect)
  }

  @Test(arguments: [
    "push.example:99999", "push.example:x", "push.example:", "push.example:0", "push.example:+443", "*:", "*:x",
    "10.0.0.1:99999", "[::1]:99999", "[::1]:", "[::1]443", "[::1", "[::1]x:443", "[10.0.0.1]:443", "[push.example]",
    "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/+8", "10.0.0.0/x", "::/129", "2001:db8::/32:443", "push.example/8", "*/8",
    "10.*", "10.", "10.1.2", "10.1.2.300", "2.3", "*.", ".", "..example", "a..example", "*example", "push.*", "**",
    "http://x", "https://push.example", "/var/run/docker.sock", "<local>", "é.example", ":443", "a:1:x",
  ])
  func anExceptionThatCannotBeUsedIsAnErrorThatNamesIt(entry: String) {
    let environment = ["HTTPS_PROXY": "http://a:1", "NO_PROXY": "other.example,\(entry)"]
    let shown = entry.utf8.map { $0 < 0x7F ? String(Unicode.Scalar($0)) : "?" }.joined()

    #expect {
      try Proxy.environment(for: Endpoint(host: "push.example", port: 443)) { environment[$0] }
    } throws: {
      "\($0)".hasPrefix("unusable proxy: the entry \(shown) of NO_PROXY is no name, address or network")
    }
  }

  @Test func aPasswordAmongTheExceptionsIsNotShown() {
    let environment = ["HTTPS_PROXY": "http://a:1", "NO_PROXY": "http://me:secret@proxy.example:3128"]

    #expect {
      try Proxy.environment(for: Endpoint(host: "push.example", port: 443)) { environment[$0] }
    } throws: {
      "\($0)".contains("proxy.example:3128") && !"\($0)".contains("secret")
    }
  }

  @Test func aProxyThatCannotBeReadIsAnErrorAndNotPassedOver() {
    let sentence =
      "HTTPS_PROXY must be http://[user:password@]host:port, with special characters of user and password percent-encoded"

    #expect(throws: HTTP2Error.unusableProxy(reason: sentence)) {
      try Proxy.environment(for: Endpoint(host: "push.example", port: 443)) {
        $0 == "HTTPS_PROXY" ? "https://a:1" : nil
      }
    }
  }
}

extension Proxy {
  fileprivate static func test(_ host: String, _ port: UInt16, _ user: String, _ password: String) -> Proxy {
    Proxy(Endpoint(host: host, port: port), user: user.utf8, password: password.utf8)
  }
}
