import FunctionKit
import Workers

/// The report to Lambda on an event that has failed.
struct LambdaFailure: Error, Equatable {
  /// Such as `INVALID_EVENT`.
  let code: String
  /// One sentence that a caller may see.
  let message: String

  init(_ error: FunctionError) { (code, message) = (error.code.rawValue, error.message) }

  /// The failure of a function; `nil` if it has done the event.
  init?(_ outcome: WorkerOutcome) {
    guard outcome.disposition != .done else { return nil }
    var code = outcome.code
    // It becomes a header field.
    if case .exited(_, let output) = outcome.ending, let own = output?["code"]?.stringValue, !own.isEmpty,
      own.utf8.allSatisfy({ (0x41...0x5A).contains($0) || $0 == UInt8(ascii: "_") })
    {
      code = own
    }
    (self.code, message) = (code, outcome.message)
  }

  /// `{"errorMessage","errorType"}`.
  var document: [UInt8] { RawJSON(object: [("errorMessage", RawJSON(message)), ("errorType", RawJSON(code))]).line }

  /// Lambda's form of a type: `Function.InvalidEvent`.
  var type: String {
    "Function." + code.split(separator: "_").map { $0.prefix(1) + $0.dropFirst().lowercased() }.joined()
  }
}
