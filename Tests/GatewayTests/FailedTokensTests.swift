import HTTP1
import TestSupport
import Testing

@testable import Gateway
@testable import Manifest
@testable import System

@RunnerLoop
@Suite(.heavy)
struct FailedTokensTests {
  private final class Time: @unchecked Sendable {
    var now = ContinuousClock.now
  }

  private func head(_ token: String?, from client: ClientAddress = ClientAddress()) -> HTTP1Request {
    var request = HTTP1Request(method: "GET", path: "/", headers: token.map { ["authorization": $0] } ?? [:])
    request.client = client
    return request
  }

  @Test func tenAreRefusedASecondAndFurtherOnesWait() {
    let time = Time()
    let failed = FailedTokens { time.now }
    for number in 0..<10 {
      #expect(failed.secondsToWait(head("a\(number)")) == nil)
      failed.count(head("a\(number)"), isRefused: true)
    }

    #expect(failed.secondsToWait(head("b")) == 1)
    #expect(failed.secondsToWait(head(nil)) == nil)
    time.now += .milliseconds(100)
    #expect(failed.secondsToWait(head("b")) == nil)
    failed.count(head("b"), isRefused: true)
    #expect(failed.secondsToWait(head("c")) == 1)
  }

  @Test func whoWasTakenBeforeGoesOn() {
    let time = Time()
    let failed = FailedTokens { time.now }
    failed.count(head("good"), isRefused: false)
    for number in 0..<100 { failed.count(head("a\(number)"), isRefused: true) }

    #expect(failed.secondsToWait(head("good")) == nil)
    #expect(failed.secondsToWait(head("new")) == 10)
    failed.count(head("good"), isRefused: true)
    #expect(failed.secondsToWait(head("good")) != nil)
  }

  @Test func requestsWithoutATokenCountForNothing() {
    let failed = FailedTokens()
    for _ in 0..<100 { failed.count(head(nil), isRefused: true) }

    #expect(failed.secondsToWait(head("a")) == nil)
  }

  @Test func guessesAtAFunctionAreSlowed() async throws {
    let refusal = #"echo '{"statusCode":401,"body":"no"}'"#
    try await withGateway(
      ["f": "case \"$(cat)\" in *good*) echo 1 ;; *) \(refusal) ;; esac"],
      triggers: [.http(HTTPTrigger(auth: .function))]
    ) { served in
      let connection = try RawConnection(port: served.port)
      func status(_ token: String) async throws -> String {
        connection.send(request("GET /functions/v1/f", "Authorization: Bearer \(token)"))
        let answer = try await connection.read(until: "\r\n\r\n")
        return String(answer.dropFirst(9).prefix(3))
      }
      #expect(try await status("good") == "200")
      // No matter how slowly they come: ten a second are taken, and these come faster.
      var statuses: Set<String> = []
      for number in 0..<2_000 where !statuses.contains("429") { statuses.insert(try await status("bad\(number)")) }

      #expect(statuses == ["401", "429"])
      #expect(try await status("good") == "200")
    }
  }
}
