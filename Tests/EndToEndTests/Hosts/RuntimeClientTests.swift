import Foundation
import FunctionKit
import TestSupport
import Testing

/// AWS' own client, awslambdaric, at ``RuntimeAPIServer``: the API that the functions are tested against is one that AWS'
/// client understands.
@Suite(
  .heavy, .qualifiesReleases,
  .enabled(if: RuntimeClient.isThere, "Not run, because awslambdaric is missing: Tests/run installs it."))
struct RuntimeClientTests {
  /// Starts the client with a handler in Python.
  private func start(_ handler: String, in folder: TemporaryDirectory, _ api: RuntimeAPIServer) throws -> RunningProgram
  {
    try RunningProgram(
      "/bin/sh",
      ["-c", "cd '\(folder.path)' && exec '\(RuntimeClient.environment)/bin/python' -m awslambdaric \(handler)"],
      environment: api.environment)
  }

  @Test func itGetsEventsAndAnswersThem() async throws {
    let folder = try TemporaryDirectory()
    try folder.write(
      """
      def handle(event, context):
          if event.get("fail"):
              raise ValueError("no")
          return {"id": context.aws_request_id, "n": event["n"], "left": context.get_remaining_time_in_millis() > 0}
      """, to: "handler.py")
    let api = try RuntimeAPIServer([
      .init(id: "a", body: #"{"n":1}"#), .init(id: "b", body: #"{"fail":true}"#), .init(id: "c", body: #"{"n":2}"#),
    ])
    let client = try start("handler.handle", in: folder, api)

    let said = await api.said(3)

    #expect(said.map(\.path) == ["invocation/a/response", "invocation/b/error", "invocation/c/response"])
    #expect(
      said[0].body == #"{"id": "a", "n": 1, "left": true}"# && said[2].body == #"{"id": "c", "n": 2, "left": true}"#)
    let error = try RawJSON(validating: Array(said[1].body.utf8)[...])
    #expect(error["errorType"]?.stringValue == "ValueError" && error["errorMessage"]?.stringValue == "no")
    #expect(client.ended == nil)
  }

  @Test func itSaysThatItCannotStart() async throws {
    let (api, folder) = (try RuntimeAPIServer(), try TemporaryDirectory())
    let client = try start("missing.handle", in: folder, api)

    let said = await api.said(1)

    #expect(said.map(\.path) == ["init/error"] && said[0].errorType == "Runtime.ImportModuleError")
    #expect(try await client.exit() != 0)
  }
}

/// The Python environment with awslambdaric.
private enum RuntimeClient {
  static let environment = "\(House.root.path)/.build/validators"

  static let isThere: Bool = {
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: "\(environment)/lib")) ?? []
    return versions.contains { access("\(environment)/lib/\($0)/site-packages/awslambdaric", F_OK) == 0 }
  }()
}
