import HTTP1
import Testing

@testable import Gateway

struct PreferenceTests {
  private func asks(_ field: String) -> Bool {
    Preference.respondAsync.isExpressed(in: HTTP1Request(method: "POST", path: "/", headers: ["prefer": field]))
  }

  @Test(arguments: ["respond-async", "Respond-Async", "wait=10, respond-async", "respond-async; a=b ,x"])
  func isExpressed(_ field: String) { #expect(asks(field)) }

  @Test(arguments: ["", "wait=10", "respond-asynchronously", "x=respond-async"])
  func isNot(_ field: String) { #expect(!asks(field)) }
}
