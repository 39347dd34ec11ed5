import HTTP2
import Testing

@testable import PushLive

struct EndpointURLTests {
  @Test(arguments: [
    ("https://localhost:8443", Endpoint(host: "localhost", port: 8_443), "localhost:8443"),
    ("https://push.example.com", Endpoint(host: "push.example.com", port: 443), "push.example.com"),
    ("HTTPS://127.0.0.1:1/", Endpoint(host: "127.0.0.1", port: 1), "127.0.0.1:1"),
    ("https://[::1]:8443", Endpoint(host: "::1", port: 8_443), "[::1]:8443"),
    ("https://[::1]", Endpoint(host: "::1", port: 443), "[::1]"),
  ])
  func readsHostAndPort(url: String, endpoint: Endpoint, authority: String) {
    #expect(Endpoint(url: url) == endpoint)
    #expect(Endpoint(url: url)?.authority == authority)
  }

  @Test(arguments: [
    "", "localhost", "localhost:8443", "http://localhost", "https://", "https://host:0", "https://host:65536",
    "https://host/path", "https://user@host", "https://host?x=1", "https://host#x", "https:host",
  ])
  func refusesEverythingElse(url: String) {
    #expect(Endpoint(url: url) == nil)
  }

  @Test(arguments: ["api.push.apple.com", "API.sandbox.Push.Apple.com", "api.push.apple.com."])
  func knowsApplesServers(host: String) {
    #expect(Endpoint(host: host, port: 443).isApple)
  }

  @Test(arguments: ["localhost", "push.apple.com.example.com", "notpush.apple.com"])
  func takesNoOthersForApples(host: String) {
    #expect(!Endpoint(host: host, port: 443).isApple)
  }
}
