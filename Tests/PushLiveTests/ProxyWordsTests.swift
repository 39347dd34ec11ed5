import HTTP2
import Testing

@testable import HTTPClient
@testable import PushLive

/// The words about a server behind a proxy.
struct ProxyWordsTests {
  private static let proxy = Proxy(url: "http://me:secret@proxy.corp:3128")

  @Test(arguments: [
    (HTTP2Error.proxyRefused(answer: "HTTP/1.1 407 No"), "the proxy proxy.corp:3128 refused: HTTP/1.1 407 No"),
    (
      .proxyUnreachable(reason: "Connection refused"), "the proxy proxy.corp:3128 cannot be reached: Connection refused"
    ),
    (.beyondProxy(answer: "HTTP/1.1 502 Bad"), "the proxy proxy.corp:3128 cannot reach the server: HTTP/1.1 502 Bad"),
    (.timedOut(.tunneling), "the proxy proxy.corp:3128 did not answer in time"),
    (.timedOut(.handshaking), "timed out while handshaking, through the proxy proxy.corp:3128"),
  ])
  func aConnectionNamesTheProxyWithoutItsPassword(error: HTTP2Error, words: String) {
    #expect(error.words(through: Self.proxy) == words)
    #expect(error.words(through: nil) == "\(error)")
  }

  @Test(arguments: [
    (HTTPClientError.Code.timedOut, "oauth.example did not answer in time (late), through the proxy proxy.corp:3128"),
    (.proxyRefused, "the proxy proxy.corp:3128 refused: late"),
    (.proxyUnreachable, "the proxy proxy.corp:3128 cannot be reached: late"),
    (.beyondProxy, "the proxy proxy.corp:3128 cannot reach oauth.example: late"),
  ])
  func aCallNamesTheProxyWithoutItsPassword(code: HTTPClientError.Code, words: String) {
    let error = HTTPClientError(code: code, host: "oauth.example", detail: "late")
    #expect(error.words(through: Self.proxy) == words)
    #expect(error.words(through: nil) == String(reflecting: error))
  }
}
