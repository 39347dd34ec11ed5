import FunctionKit
import TestSupport
import Testing

/// The page at the address that the runner prints.
@Suite(.heavy)
struct FrontPageTests {
  private static let manifest = #"{"functions":{"echo":{}}}"#
  private static let browser = [(name: "Accept", value: "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8")]

  @Test func saysWhatThereIsToBrowsersAndTerminals() async throws {
    let served = try await RunningRunner(Self.manifest).start(options: ["--console", "off"])

    let (page, text) = (
      try await served.request("/", headers: Self.browser), try await served.request("/")
    )

    #expect(page.status == 200 && text.status == 200)
    #expect(page.text.hasPrefix("<!doctype html>") && page.text.contains("<li><code>echo</code>"))
    #expect(text.text.contains("/_/ready") && text.text.contains("\n  echo\n"))
    #expect(page.headers.contains { $0.name.lowercased() == "vary" && $0.value == "Accept" })
    #expect(!text.text.contains("/openapi.json"))
    #expect(try await served.request("/nowhere").status == 404)
  }

  @Test func leadsABrowserToTheConsole() async throws {
    let served = try await RunningRunner(Self.manifest).start()
    let port = try #require(UInt16(served.url.split(separator: ":").last ?? ""))
    let connection = try RawConnection(port: port)

    connection.send("GET / HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\nConnection: close\r\n\r\n")

    let head = try await connection.read(until: "\r\n\r\n")
    #expect(head.hasPrefix("HTTP/1.1 303 ") && head.contains("\r\nLocation: /_/console/\r\n"))
    #expect(try await served.request("/").text.contains("/_/ready"))
  }

  @Test func namesNoFunctionsToThoseWithoutTheKey() async throws {
    let key = "a-key-of-sixteen-characters"
    let served = try await RunningRunner(Self.manifest, environment: ["RUNNER_KEY": key])
      .start(options: ["--console", "off"])

    let (without, with) = (
      try await served.request("/", headers: Self.browser),
      try await served.request("/", headers: Self.browser + [(name: "Authorization", value: "Bearer \(key)")])
    )

    #expect(without.status == 200 && !without.text.contains("echo"))
    #expect(with.text.contains("echo"))
  }
}
