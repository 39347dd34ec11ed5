import FunctionKit
import Workers

extension TargetReading {
  /// The outcomes, by their ids, of the events of a batch that have failed according to the answer.
  ///
  /// `{"batchItemFailures":[{"itemIdentifier":"…"}]}`, as AWS Lambda has it. If that names another event, or nothing
  /// usable, all have failed.
  /// Source: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
  func failures(among ids: [String]) -> [String: WorkerOutcome.Ending] {
    guard case .exited(0, let output) = ending, let list = output?["batchItemFailures"], list.kind != .null else {
      return [:]
    }
    let named = list.elements?.map { $0["itemIdentifier"]?.stringValue ?? "" }
    let known = named.map { Set(ids).isSuperset(of: $0) } ?? false
    let message = known ? "says that it has failed" : "does not say which events have failed"
    let failed = WorkerOutcome.Ending.elsewhere(.init(.failed, "\(place) \(message).", .retry(after: nil)))
    return Dictionary((known ? named ?? [] : ids).map { ($0, failed) }) { first, _ in first }
  }
}
