import Foundation
import HTTP2
import Testing

/// The server as another program sees it.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "curl is not installed"))
struct CurlTests {
  @Test func curlGetsAnAnswerByHTTP2() async throws {
    try await withServer(answer: { HTTP2Response(status: 200, body: Array("got \($0.body.count) bytes".utf8)) }) {
      test in
      let output = try await curl(["-d", "hello", "-w", " by HTTP/%{http_version}, %{http_code}"], to: test)

      #expect(output.text == "got 5 bytes by HTTP/2, 200")
    }
  }

  @Test func curlSeesStatusAndHeaders() async throws {
    try await withServer(
      answer: { _ in HTTP2Response(status: 410, headers: [HTTP2Header("apns-id", "7")]) }
    ) { test in
      let output = try await curl(["-i"], to: test)

      #expect(output.text == "HTTP/2 410 \r\napns-id: 7\r\n\r\n")
    }
  }

  @Test func aClientThatLeavesTheProtocolToTheServerGetsHTTP2() async throws {
    try await withServer(answer: { _ in .ok }) { test in
      let output = try await curl(
        ["--no-alpn", "--http2-prior-knowledge", "-w", "HTTP/%{http_version}, %{http_code}"], to: test)

      #expect(output.text == "HTTP/2, 200")
    }
  }

  @Test func aClientWithoutHTTP2IsRefused() async throws {
    try await withServer(answer: { _ in .ok }) { test in
      let output = try await curl(["--http1.1"], to: test)

      #expect(output.status != 0)
      #expect(output.text == "")
    }
  }

  private func curl(_ arguments: [String], to test: TestServer) async throws -> (status: Int32, text: String) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
    process.arguments =
      ["-sS", "-m", "20", "--http2", "--noproxy", "*", "--cacert", test.credentials.authorityPath] + arguments
      + ["https://localhost:\(test.server.endpoint.port)/path"]
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    let ended = Mailbox<Int32>()
    process.terminationHandler = { ended.put($0.terminationStatus) }
    try process.run()
    let status = await ended.next()
    let text = try String(decoding: pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    return (status, text)
  }
}
