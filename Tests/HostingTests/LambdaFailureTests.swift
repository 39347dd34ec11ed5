import FunctionKit
import Testing
import Workers

@testable import Hosting

/// The report that Lambda gets of a failure.
struct LambdaFailureTests {
  private func failure(_ exit: Int32, _ error: String) throws -> LambdaFailure? {
    let output = try RawJSON(validating: Array(error.utf8)[...])
    return LambdaFailure(WorkerOutcome(ending: .exited(exit, output: output)))
  }

  @Test func theFunctionsOwnCodeIsTheType() throws {
    let failure = try #require(try failure(75, #"{"code":"DATABASE_AWAY","message":"No."}"#))
    #expect(failure.type == "Function.DatabaseAway")
    let document = String(decoding: failure.document, as: UTF8.self)
    #expect(document == #"{"errorMessage":"No.","errorType":"DATABASE_AWAY"}"# + "\n")
  }

  /// It becomes a header field.
  @Test(arguments: ["", "a\\r\\nX: y", "DATABASE AWAY", "é"]) func aCodeThatIsNoneIsNotPassedOn(_ code: String) throws {
    #expect(try failure(70, #"{"code":"\#(code)","message":"No."}"#)?.type == "Function.WorkerError")
  }

  @Test func everyEndHasAType() {
    let ends: [(WorkerOutcome.Ending, String)] = [
      (.crashed(signal: 9), "Function.WorkerCrash"), (.timedOut(seconds: 1), "Function.WorkerTimeout"),
      (.invalidOutput("No."), "Function.InvalidOutput"), (.couldNotStart("no"), "Function.BootError"),
    ]
    for (end, type) in ends { #expect(LambdaFailure(WorkerOutcome(ending: end))?.type == type) }
    #expect(LambdaFailure(WorkerOutcome(ending: .exited(0, output: nil))) == nil)
  }
}
