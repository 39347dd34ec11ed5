import Foundation
import FunctionKit
import HTTP1
import TestSupport
import Testing

@testable import Gateway
@testable import Manifest
@testable import System

/// CloudEvents that come in one request.
@Suite(.heavy)
struct CallBatchTests {
  private static let type = "Content-Type: application/cloudevents-batch+json; charset=utf-8"

  private static func event(_ id: String, _ data: String) -> String {
    #"{"specversion":"1.0","id":"\#(id)","source":"/s","type":"t","data":\#(data)}"#
  }

  /// Ends with the status that the data says, and says how many it has seen.
  private static let function = """
    event=$(cat)
    echo x >> seen
    case $event in
      *later*) printf '{"error":{"code":"X","message":"Later.","retryAfter":%s}}' $(wc -l < seen); exit 75 ;;
      *bad*) exit 65 ;;
      *broken*) exit 70 ;;
      *nothing*) exit 0 ;;
      *page*) echo '{"statusCode":201,"headers":{"Content-Type":"text/plain"},"body":"a page"}' ;;
      *) printf '{"place":%s}' $(wc -l < seen) ;;
    esac
    """

  @RunnerLoop
  @Test(arguments: [
    ([], 200, []), (["1"], 200, [#"200,"body":{"place":1}"#]),
    (
      ["1", "\"page\"", "\"nothing\"", "2"], 200,
      [#"200,"body":{"place":1}"#, #"201,"body":"a page""#, "204", #"200,"body":{"place":4}"#]
    ),
    (["1", "\"bad\"", "2"], 400, [#"200,"body":{"place":1}"#, "400", #"200,"body":{"place":3}"#]),
    (["\"bad\"", "\"broken\"", "1"], 500, ["400", "500", #"200,"body":{"place":3}"#]),
    (["\"broken\"", "\"later\"", "1", "\"later\""], 503, ["500", "503", #"200,"body":{"place":3}"#, "503"]),
  ])
  func areCalledInTheirOrderAndAnsweredOneByOne(_ data: [String], _ status: Int, _ results: [String]) async throws {
    try await withGateway(["f": Self.function]) { served in
      let events = data.enumerated().map { Self.event("e\($0)", $1) }.joined(separator: ",")
      let connection = try RawConnection(port: served.port)
      connection.send(request("POST /functions/v1/f", Self.type, "Connection: close", body: "[\(events)]"))

      let answer = try await connection.readToEnd()

      #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
      #expect(answer.contains("Retry-After: 4\r\n") == (status == 503))
      let body = try RawJSON(validating: Array(try #require(answer.split(separator: "\r\n\r\n").last).utf8)[...])
      let elements = try #require(body.elements)
      #expect(elements.count == results.count)
      for (index, (element, result)) in zip(elements, results).enumerated() {
        let text = String(decoding: element.bytes, as: UTF8.self)
        #expect(text.hasPrefix(#"{"id":"e\#(index)","status":\#(result)"#))
      }
    }
  }

  @RunnerLoop
  @Test func aBadEventAmongThemHarmsNoOther() async throws {
    try await withGateway(["f": Self.function]) { served in
      let batch = #"[1,{"id":7},\#(Self.event("good", "1"))]"#
      let connection = try RawConnection(port: served.port)
      connection.send(request("POST /functions/v1/f", Self.type, body: batch))

      let answer = try await connection.read(until: #"{"place":1}}]"#)

      #expect(answer.hasPrefix("HTTP/1.1 400 "))
      #expect(answer.contains(#"[{"id":null,"status":400,"#) && answer.contains(#"{"id":"good","status":200,"#))
    }
  }

  @RunnerLoop
  @Test(arguments: [
    ("{}", 400, "A batch of CloudEvents is a JSON array."), ("[", 400, "The body is not valid JSON"),
    ("", 400, "A batch of CloudEvents is a JSON array."),
    (
      "[\(Array(repeating: event("1", "1"), count: CallBatch.most + 1).joined(separator: ","))]", 413,
      "A batch has at most 512 events."
    ),
  ])
  func whatIsNoBatchIsRefusedAsAWhole(_ body: String, _ status: Int, _ problem: String) async throws {
    try await withGateway(["f": Self.function]) { served in
      let connection = try RawConnection(port: served.port)
      connection.send(request("POST /functions/v1/f", Self.type, body: body))

      let answer = try await connection.read(until: problem)

      #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
      #expect(!FileManager.default.fileExists(atPath: "\(served.folder.path)/seen"))
    }
  }
}
