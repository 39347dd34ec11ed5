import FoundationEssentials
import Manifest
import TestSupport
import Testing
import Workers

@testable import Targets

struct TargetVerdictTests {
  /// The table of each engine for the statuses about which they could differ.
  private static let table: [(status: Int, http: TargetVerdict, openfaas: TargetVerdict, knative: TargetVerdict)] = [
    (200, .done, .done, .done), (202, .done, .done, .done), (204, .done, .done, .done), (299, .done, .done, .done),
    (301, .refused, .refused, .refused), (307, .refused, .refused, .refused),
    (400, .refused, .refused, .refused), (401, .refused, .refused, .refused), (403, .refused, .refused, .refused),
    (404, .refused, .refused, .again), (408, .again, .again, .again), (409, .refused, .refused, .again),
    (410, .refused, .refused, .refused), (413, .refused, .refused, .refused), (415, .refused, .refused, .refused),
    (422, .refused, .refused, .refused), (425, .again, .again, .refused), (429, .again, .again, .again),
    (500, .again, .again, .again), (501, .again, .again, .again), (503, .again, .again, .again),
    (599, .again, .again, .again),
  ]

  @Test(arguments: table)
  func aStatusMeansWhatItsEngineSays(
    status: Int, http: TargetVerdict, openfaas: TargetVerdict, knative: TargetVerdict
  ) {
    #expect(TargetEntry.Engine.http.verdict(status) == http)
    #expect(TargetEntry.Engine.openfaas.verdict(status) == openfaas)
    #expect(TargetEntry.Engine.knative.verdict(status) == knative)
  }

  /// Fewer than open a circuit.
  private static let bodies = [
    #"{"id":"1","exit":65}"#, #"{"id":"1","exit":0}"#, #"{"batchItemFailures":[{"itemIdentifier":"1"}]}"#, "<html>",
  ]

  /// Neither what a stream says, nor what the answer to a batch says, nor a page changes what the status says of an event.
  @Test(
    arguments: [
      (200, .done), (202, .done), (203, .done), (207, .done), (299, .done), (300, .permanent), (400, .permanent),
      (401, .permanent), (404, .permanent), (410, .permanent), (422, .permanent), (408, .retry(after: nil)),
      (425, .retry(after: nil)), (429, .retry(after: nil)), (500, .retry(after: nil)), (502, .retry(after: nil)),
      (503, .retry(after: nil)), (599, .retry(after: nil)),
    ] as [(Int, WorkerOutcome.Disposition)])
  func aStatusCountsWhateverTheBodySays(_ status: Int, _ disposition: WorkerOutcome.Disposition) async throws {
    let answers = Self.bodies.map { "HTTP/1.1 \(status) X\r\nContent-Length: \($0.utf8.count)\r\n\r\n\($0)" }
    let server = try ScriptedServer(.answers(answers))
    defer { server.stop() }
    let scene = try await TargetScene(port: server.port, concurrency: 1)

    for body in Self.bodies {
      let outcome = await scene.outcome()
      #expect(outcome.disposition == disposition, "\(body)")
    }

    #expect(server.requests.count == Self.bodies.count)
    await scene.close()
  }

  @Test(arguments: [
    ("0", 0), ("7", 7), ("3600", 3_600), ("3601", 3_600), ("99999999999999999999", 3_600),
    ("Sun, 06 Nov 1994 08:49:37 GMT", 10), ("Sun, 06 Nov 1994 08:49:00 GMT", 0),
    ("Sun, 06 Nov 2094 08:49:37 GMT", 3_600),
  ])
  func aPauseIsReadInBothFormsAndLimited(_ value: String, _ seconds: Int) {
    #expect(RetryAfter.seconds(value, now: Date(timeIntervalSince1970: 784_111_767)) == seconds)
  }

  @Test(arguments: ["", "-1", "1.5", "soon", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT"])
  func aPauseOfNeitherFormIsNone(_ value: String) {
    #expect(RetryAfter.seconds(value, now: .now) == nil)
  }
}
